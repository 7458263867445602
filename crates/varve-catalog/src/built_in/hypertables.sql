-- Hypertables and their chunks: what TimescaleDB gives functions for. Definitions change by ALTER
-- TABLE ... SET (tsdb. ...), which checks them.

CREATE FUNCTION by_range(column_name text, partition_interval "any" = NULL)
RETURNS jsonb STABLE LANGUAGE sql AS $$
  SELECT jsonb_build_object('column', column_name, 'interval', partition_interval::text)
$$;

CREATE FUNCTION by_hash(column_name text, number_partitions int, partition_func text = NULL)
RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'partitions by hash are not supported' USING ERRCODE = '0A000',
    HINT = 'Chunks are divided by time only, which leaves no rows out of reach here.';
END $$;

CREATE FUNCTION _timescaledb_functions.make_hypertable(relation regclass, time_column text, chunk_interval text,
  create_default_indexes boolean, if_not_exists boolean, migrate_data boolean)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  is_empty boolean;
  options text := 'tsdb.hypertable';
BEGIN
  IF relation IS NULL THEN
    RAISE EXCEPTION 'relation cannot be NULL' USING ERRCODE = '22023';
  END IF;
  IF time_column IS NULL THEN
    RAISE EXCEPTION 'partition column cannot be NULL' USING ERRCODE = '22023';
  END IF;
  IF EXISTS (SELECT FROM _timescaledb_catalog.hypertable h WHERE h.relation = make_hypertable.relation) THEN
    IF if_not_exists THEN
      RAISE NOTICE 'table "%" is already a hypertable, skipping', relation;
      RETURN false;
    END IF;
    RAISE EXCEPTION 'table "%" is already a hypertable', relation USING ERRCODE = '42710';
  END IF;
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = relation::oid AND c.relkind IN ('r', 'p')) THEN
    RAISE EXCEPTION '"%" is not a table', relation USING ERRCODE = '42809';
  END IF;
  EXECUTE format('SELECT NOT EXISTS (SELECT FROM %s)', relation) INTO is_empty;
  IF NOT is_empty AND NOT migrate_data THEN
    RAISE EXCEPTION 'table "%" is not empty', relation USING ERRCODE = '55000',
      HINT = 'You can migrate data by specifying ''migrate_data => true'' when calling this function.';
  END IF;
  options := options || format(', tsdb.partition_column = %L', quote_ident(time_column));
  IF chunk_interval IS NOT NULL THEN
    options := options || format(', tsdb.chunk_interval = %L', chunk_interval);
  END IF;
  EXECUTE format('ALTER TABLE %s SET (%s)', relation, options);
  IF create_default_indexes THEN
    EXECUTE format('CREATE INDEX ON %s (%I DESC)', relation, time_column);
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION create_hypertable(relation regclass, time_column_name text,
  partitioning_column text = NULL, number_partitions int = NULL,
  associated_schema_name text = NULL, associated_table_prefix text = NULL,
  chunk_time_interval "any" = NULL, create_default_indexes boolean = NULL,
  if_not_exists boolean = false, partitioning_func text = NULL, migrate_data boolean = false,
  chunk_target_size text = NULL, chunk_sizing_func text = NULL, time_partitioning_func text = NULL,
  OUT hypertable_id int, OUT schema_name name, OUT table_name name, OUT created boolean)
LANGUAGE plpgsql AS $$
DECLARE
  unsupported text := CASE
    WHEN partitioning_column IS NOT NULL THEN 'partitioning_column'
    WHEN number_partitions IS NOT NULL THEN 'number_partitions'
    WHEN associated_schema_name IS NOT NULL THEN 'associated_schema_name'
    WHEN associated_table_prefix IS NOT NULL THEN 'associated_table_prefix'
    WHEN partitioning_func IS NOT NULL THEN 'partitioning_func'
    WHEN chunk_target_size IS NOT NULL THEN 'chunk_target_size'
    WHEN chunk_sizing_func IS NOT NULL THEN 'chunk_sizing_func'
    WHEN time_partitioning_func IS NOT NULL THEN 'time_partitioning_func' END;
BEGIN
  IF unsupported IS NOT NULL THEN
    RAISE EXCEPTION 'the argument "%" of create_hypertable is not supported', unsupported
      USING ERRCODE = '0A000', HINT = 'Leave it out: chunks are divided by time only, and have names of their own.';
  END IF;
  created := _timescaledb_functions.make_hypertable(relation, time_column_name, chunk_time_interval::text,
    create_default_indexes, if_not_exists, migrate_data);
  SELECT h.id, h.schema_name, h.table_name INTO hypertable_id, schema_name, table_name
    FROM _timescaledb_catalog.hypertable h WHERE h.relation = create_hypertable.relation;
END $$;

CREATE FUNCTION create_hypertable(relation regclass, dimension jsonb,
  create_default_indexes boolean = NULL, if_not_exists boolean = false, migrate_data boolean = false,
  OUT hypertable_id int, OUT created boolean)
LANGUAGE plpgsql AS $$
BEGIN
  created := _timescaledb_functions.make_hypertable(relation, dimension->>'column', dimension->>'interval',
    create_default_indexes, if_not_exists, migrate_data);
  SELECT h.id INTO hypertable_id
    FROM _timescaledb_catalog.hypertable h WHERE h.relation = create_hypertable.relation;
END $$;

CREATE FUNCTION _timescaledb_functions.require_hypertable(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF relation IS NULL THEN
    RAISE EXCEPTION 'hypertable cannot be NULL' USING ERRCODE = '22023';
  END IF;
  IF NOT EXISTS (SELECT FROM _timescaledb_catalog.hypertable h WHERE h.relation = require_hypertable.relation) THEN
    RAISE EXCEPTION 'table "%" is not a hypertable', relation USING ERRCODE = '42809',
      HINT = 'The operation is only possible on a hypertable.';
  END IF;
END $$;

CREATE FUNCTION set_chunk_time_interval(hypertable regclass, chunk_time_interval "any", dimension_name text = NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(hypertable);
  IF chunk_time_interval IS NULL THEN
    RAISE EXCEPTION 'invalid chunk interval: an explicit interval must be specified' USING ERRCODE = '22023';
  END IF;
  IF dimension_name IS NOT NULL AND NOT EXISTS (SELECT FROM _timescaledb_catalog.hypertable h
    WHERE h.relation = hypertable AND h.time_column = dimension_name) THEN
    RAISE EXCEPTION 'column "%" is not a dimension of hypertable "%"', dimension_name, hypertable
      USING ERRCODE = '22023';
  END IF;
  EXECUTE format('ALTER TABLE %s SET (tsdb.chunk_interval = %L)', hypertable, chunk_time_interval::text);
END $$;

CREATE FUNCTION set_integer_now_func(hypertable regclass, integer_now_func "any", replace_if_exists boolean = false)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(hypertable);
  IF NOT replace_if_exists AND EXISTS (SELECT FROM _timescaledb_catalog.hypertable h
    WHERE h.relation = hypertable AND h.integer_now_func IS NOT NULL) THEN
    RAISE EXCEPTION 'custom time function already set for hypertable "%"', hypertable
      USING ERRCODE = '42710', HINT = 'Use replace_if_exists => true to set another one.';
  END IF;
  EXECUTE format('ALTER TABLE %s SET (tsdb.integer_now_func = %L)', hypertable, integer_now_func::text);
END $$;

-- A point in time as chunks of a hypertable measure it.
CREATE FUNCTION _timescaledb_functions.chunk_point(hypertable regclass, value text, value_type regtype)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  time_type regtype;
  point timestamptz;
BEGIN
  IF value IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT h.time_type INTO time_type FROM _timescaledb_catalog.hypertable h WHERE h.relation = hypertable;
  IF time_type::text IN ('smallint', 'integer', 'bigint') THEN
    IF value_type::text NOT IN ('smallint', 'integer', 'bigint', 'text') THEN
      RAISE EXCEPTION 'invalid time argument type "%"', value_type USING ERRCODE = '22023',
        HINT = format('The time column of "%s" has integers: give an integer.', hypertable);
    END IF;
    RETURN value::bigint;
  END IF;
  IF value_type::text IN ('smallint', 'integer', 'bigint', 'numeric', 'double precision') THEN
    RAISE EXCEPTION 'invalid time argument type "%"', value_type USING ERRCODE = '22023',
      HINT = format('The time column of "%s" has type %s: give an interval or a point in time.', hypertable, time_type);
  END IF;
  IF value_type::text = 'interval' THEN
    point := now() - value::interval;
  ELSIF time_type::text = 'timestamp with time zone' THEN
    point := value::timestamptz;
  ELSE
    RETURN _timescaledb_functions.chunk_units(time_type, value::timestamp);
  END IF;
  IF time_type::text = 'timestamp with time zone' THEN
    RETURN _timescaledb_functions.chunk_units(time_type, point AT TIME ZONE 'UTC');
  END IF;
  RETURN _timescaledb_functions.chunk_units(time_type, point::timestamp);
END $$;

CREATE FUNCTION _timescaledb_functions.chunk_units(time_type regtype, point timestamp) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN time_type::text = 'date' THEN point::date - date '1970-01-01'
    ELSE (extract(epoch FROM point) * 1000000)::bigint END
$$;

CREATE FUNCTION _timescaledb_functions.chunks_between(hypertable regclass, older_than bigint, newer_than bigint,
  created_before timestamptz, created_after timestamptz)
RETURNS SETOF regclass STABLE LANGUAGE sql AS $$
  SELECT c.relation FROM _timescaledb_catalog.chunk c
  WHERE c.hypertable = chunks_between.hypertable
    AND (older_than IS NULL OR c.range_end <= older_than)
    AND (newer_than IS NULL OR c.range_start >= newer_than)
    AND (created_before IS NULL OR c.creation_time < created_before)
    AND (created_after IS NULL OR c.creation_time >= created_after)
  ORDER BY c.range_start
$$;

CREATE FUNCTION _timescaledb_functions.creation_point(value text, value_type regtype) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  IF value_type::text = 'interval' THEN
    RETURN now() - value::interval;
  END IF;
  RETURN value::timestamptz;
END $$;

CREATE FUNCTION show_chunks(relation regclass, older_than "any" = NULL, newer_than "any" = NULL,
  created_before "any" = NULL, created_after "any" = NULL)
RETURNS SETOF regclass LANGUAGE plpgsql AS $$
DECLARE
  older bigint;
  newer bigint;
  before timestamptz;
  after timestamptz;
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(relation);
  older := _timescaledb_functions.chunk_point(relation, older_than::text, pg_typeof(older_than));
  newer := _timescaledb_functions.chunk_point(relation, newer_than::text, pg_typeof(newer_than));
  before := _timescaledb_functions.creation_point(created_before::text, pg_typeof(created_before));
  after := _timescaledb_functions.creation_point(created_after::text, pg_typeof(created_after));
  RETURN QUERY SELECT * FROM _timescaledb_functions.chunks_between(relation, older, newer, before, after);
END $$;

CREATE FUNCTION drop_chunks(relation regclass, older_than "any" = NULL, newer_than "any" = NULL,
  "verbose" boolean = false, created_before "any" = NULL, created_after "any" = NULL)
RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  chunk regclass;
  gone text;
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(relation);
  IF older_than IS NULL AND newer_than IS NULL AND created_before IS NULL AND created_after IS NULL THEN
    RAISE EXCEPTION 'invalid time range for dropping chunks' USING ERRCODE = '22023',
      HINT = 'At least one of older_than, newer_than, created_before or created_after must be provided.';
  END IF;
  FOR chunk IN SELECT * FROM show_chunks(relation, older_than, newer_than, created_before, created_after) LOOP
    gone := chunk::text;
    IF "verbose" THEN
      RAISE INFO 'dropping chunk %', gone;
    END IF;
    EXECUTE format('DROP TABLE %s', gone);
    RETURN NEXT gone;
  END LOOP;
END $$;

-- Sizes. The entries of indexes are not divided by time, so a chunk has none.

CREATE FUNCTION hypertable_size(hypertable regclass) RETURNS bigint LANGUAGE sql AS $$
  SELECT pg_total_relation_size(hypertable)
$$;

CREATE FUNCTION hypertable_detailed_size(hypertable regclass)
RETURNS TABLE (table_bytes bigint, index_bytes bigint, toast_bytes bigint, total_bytes bigint, node_name name)
LANGUAGE sql AS $$
  SELECT pg_table_size(hypertable), pg_indexes_size(hypertable), 0::bigint,
    pg_total_relation_size(hypertable), NULL::name
$$;

CREATE FUNCTION chunks_detailed_size(hypertable regclass)
RETURNS TABLE (chunk_schema name, chunk_name name, table_bytes bigint, index_bytes bigint,
  toast_bytes bigint, total_bytes bigint, node_name name)
LANGUAGE sql AS $$
  SELECT '_timescaledb_internal'::name, format('_hyper_%s_%s_chunk', h.id, c.id)::name,
    pg_table_size(c.relation), 0::bigint, 0::bigint, pg_table_size(c.relation), NULL::name
  FROM _timescaledb_catalog.hypertable h
  JOIN _timescaledb_catalog.chunk c ON c.hypertable = h.relation
  WHERE h.relation = chunks_detailed_size.hypertable
  ORDER BY c.range_start
$$;
