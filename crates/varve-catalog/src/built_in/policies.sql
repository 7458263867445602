-- Policies: jobs on a hypertable. Their procedures do what the functions of the same purpose do by hand.

-- Whether the values in the configuration of a policy fit the hypertable.
CREATE FUNCTION _timescaledb_functions.check_policy(policy text, hypertable regclass, config jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  hyper record;
  word text;
  written text;
BEGIN
  SELECT h.* INTO hyper FROM _timescaledb_catalog.hypertable h WHERE h.relation = hypertable;
  FOREACH word IN ARRAY ARRAY['drop_after', 'compress_after', 'start_offset', 'end_offset'] LOOP
    written := config->>word;
    CONTINUE WHEN written IS NULL;
    IF hyper.time_type::text IN ('smallint', 'integer', 'bigint') THEN
      IF NOT written ~ '^-?[0-9]+$' THEN
        RAISE EXCEPTION 'invalid value for parameter %', word USING ERRCODE = '22023',
          HINT = format('The time column of "%s" has integers: give an integer.', hypertable);
      END IF;
      IF _timescaledb_functions.integer_now_func(hypertable) IS NULL THEN
        RAISE EXCEPTION 'integer_now function not set on hypertable "%"', hypertable USING ERRCODE = '55000',
          HINT = 'set_integer_now_func gives it one.';
      END IF;
    ELSIF written ~ '^-?[0-9]+$' THEN
      RAISE EXCEPTION 'invalid value for parameter %', word USING ERRCODE = '22023',
        HINT = format('The time column of "%s" has type %s: give an interval.', hypertable, hyper.time_type);
    ELSE
      PERFORM written::interval;
    END IF;
  END LOOP;
  FOREACH word IN ARRAY ARRAY['drop_created_before', 'compress_created_before'] LOOP
    PERFORM (config->>word)::interval;
  END LOOP;
  IF policy = 'policy_compression' AND NOT EXISTS (SELECT FROM timescaledb_information.hypertables i
    WHERE i.hypertable_schema = hyper.schema_name AND i.hypertable_name = hyper.table_name AND i.compression_enabled) THEN
    RAISE EXCEPTION 'columnstore not enabled on hypertable "%"', hypertable USING ERRCODE = '55000',
      HINT = 'Enable it first: ALTER TABLE ... SET (timescaledb.enable_columnstore).';
  END IF;
END $$;

-- The function that tells the present of a hypertable with integers: a continuous aggregate has that of its source.
CREATE FUNCTION _timescaledb_functions.integer_now_func(hypertable regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  upper regclass := hypertable;
  below regclass;
BEGIN
  LOOP
    SELECT a.source INTO below FROM _timescaledb_catalog.continuous_agg a WHERE a.relation = upper;
    EXIT WHEN NOT FOUND;
    upper := below;
  END LOOP;
  RETURN (SELECT h.integer_now_func::text FROM _timescaledb_catalog.hypertable h WHERE h.relation = upper);
END $$;

-- Adds a policy, or tells of the one that is there.
CREATE FUNCTION _timescaledb_functions.add_policy(policy text, kind text, hypertable regclass, config jsonb,
  if_not_exists boolean, schedule_interval interval, initial_start timestamptz, timezone text, retry_period interval)
RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  known record;
  hyper record;
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(hypertable);
  SELECT h.* INTO hyper FROM _timescaledb_catalog.hypertable h WHERE h.relation = hypertable;
  config := jsonb_build_object('hypertable_id', hyper.id) || jsonb_strip_nulls(config);
  PERFORM _timescaledb_functions.check_policy(policy, hypertable, config);
  PERFORM _timescaledb_functions.make_job_tables();
  SELECT j.id, j.config INTO known FROM _timescaledb_config.job j
  WHERE j.proc_schema = '_timescaledb_functions' AND j.proc_name = policy AND j.hypertable = add_policy.hypertable::oid;
  IF FOUND THEN
    IF NOT if_not_exists THEN
      RAISE EXCEPTION '% already exists for hypertable "%"', lower(kind), hypertable USING ERRCODE = '42710',
        HINT = 'Set if_not_exists => true to keep it.';
    END IF;
    IF known.config = config THEN
      RAISE NOTICE '% already exists for hypertable "%", skipping', lower(kind), hypertable;
    ELSE
      RAISE WARNING '% already exists for hypertable "%"', lower(kind), hypertable USING
        DETAIL = 'A policy already exists with different arguments.',
        HINT = 'Remove the existing policy before adding a new one.';
    END IF;
    RETURN -1;
  END IF;
  IF schedule_interval IS NULL THEN
    RAISE EXCEPTION 'schedule interval cannot be NULL' USING ERRCODE = '22023';
  END IF;
  RETURN _timescaledb_functions.insert_job(kind, schedule_interval, interval '0', retry_period, '_timescaledb_functions',
    policy, true, initial_start IS NOT NULL, initial_start, timezone, hypertable::oid, config, NULL, NULL, NULL);
END $$;

CREATE FUNCTION _timescaledb_functions.remove_policy(policy text, kind text, hypertable regclass, if_exists boolean)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  number int;
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(hypertable);
  IF to_regclass('_timescaledb_config.job') IS NOT NULL THEN
    SELECT j.id INTO number FROM _timescaledb_config.job j
    WHERE j.proc_schema = '_timescaledb_functions' AND j.proc_name = policy AND j.hypertable = remove_policy.hypertable::oid;
  END IF;
  IF number IS NULL THEN
    IF if_exists THEN
      RAISE NOTICE '% not found for hypertable "%", skipping', lower(kind), hypertable;
      RETURN false;
    END IF;
    RAISE EXCEPTION '% not found for hypertable "%"', lower(kind), hypertable USING ERRCODE = '42704';
  END IF;
  PERFORM delete_job(number);
  RETURN true;
END $$;

CREATE FUNCTION _timescaledb_functions.one_age(age text, created text, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (age IS NULL) = (created IS NULL) THEN
    RAISE EXCEPTION 'need to specify one of "%"', what USING ERRCODE = '22023';
  END IF;
END $$;

-- How often chunks of a hypertable are looked at: half of their interval, and at least twice a day.
CREATE FUNCTION _timescaledb_functions.default_schedule(hypertable regclass) RETURNS interval LANGUAGE sql AS $$
  SELECT least(coalesce(d.time_interval / 2, interval '1 day'), interval '12 hours')
  FROM _timescaledb_catalog.hypertable h JOIN timescaledb_information.dimensions d
    ON d.hypertable_schema = h.schema_name AND d.hypertable_name = h.table_name
  WHERE h.relation = hypertable
$$;

CREATE FUNCTION _timescaledb_functions.job_hypertable(number int) RETURNS regclass LANGUAGE plpgsql AS $$
DECLARE
  relation regclass;
BEGIN
  SELECT h.relation INTO relation FROM _timescaledb_config.job j
  JOIN _timescaledb_catalog.hypertable h ON h.relation::oid = j.hypertable WHERE j.id = number;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the hypertable of job % is gone', number USING ERRCODE = '42P01';
  END IF;
  RETURN relation;
END $$;

-- The point that lies an offset before another one, the present as a rule, as text and in units of the hypertable's time.
CREATE FUNCTION _timescaledb_functions.offset_point(hypertable regclass, lag text, present timestamptz, OUT point text, OUT units bigint) LANGUAGE plpgsql AS $$
DECLARE
  hyper record;
BEGIN
  IF lag IS NULL THEN
    RETURN;
  END IF;
  SELECT h.* INTO hyper FROM _timescaledb_catalog.hypertable h WHERE h.relation = hypertable;
  IF hyper.time_type::text IN ('smallint', 'integer', 'bigint') THEN
    EXECUTE format('SELECT %s()', _timescaledb_functions.integer_now_func(hypertable)) INTO units;
    units := units - lag::bigint;
    point := units::text;
  ELSE
    point := (present - lag::interval)::text;
    units := _timescaledb_functions.chunk_point(hypertable, point, 'text'::regtype);
  END IF;
END $$;

-- Retention.

CREATE FUNCTION add_retention_policy(relation regclass, drop_after "any" = NULL, if_not_exists boolean = false,
  schedule_interval interval = NULL, initial_start timestamptz = NULL, timezone text = NULL, drop_created_before interval = NULL)
RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  PERFORM _timescaledb_functions.one_age(drop_after::text, drop_created_before::text, 'drop_after or drop_created_before');
  RETURN _timescaledb_functions.add_policy('policy_retention', 'Retention Policy', relation,
    jsonb_build_object('drop_after', drop_after::text, 'drop_created_before', drop_created_before::text),
    if_not_exists, coalesce(schedule_interval, interval '1 day'), initial_start, timezone, interval '5 minutes');
END $$;

CREATE FUNCTION remove_retention_policy(relation regclass, if_exists boolean = false) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM _timescaledb_functions.remove_policy('policy_retention', 'Retention Policy', relation, if_exists);
END $$;

CREATE FUNCTION _timescaledb_functions.policy_retention(job_id int, config jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  target regclass := _timescaledb_functions.job_hypertable(job_id);
  before bigint;
  made_before timestamptz := now() - (config->>'drop_created_before')::interval;
  chunk regclass;
BEGIN
  SELECT p.units INTO before FROM _timescaledb_functions.offset_point(target, config->>'drop_after', now()) p;
  FOR chunk IN SELECT * FROM _timescaledb_functions.chunks_between(target, before, NULL, made_before, NULL) LOOP
    EXECUTE format('DROP TABLE %s', chunk);
  END LOOP;
END $$;

-- Compression.

CREATE FUNCTION add_compression_policy(hypertable regclass, compress_after "any" = NULL, if_not_exists boolean = false,
  schedule_interval interval = NULL, initial_start timestamptz = NULL, timezone text = NULL, compress_created_before interval = NULL)
RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(hypertable);
  PERFORM _timescaledb_functions.one_age(compress_after::text, compress_created_before::text, 'compress_after or compress_created_before');
  RETURN _timescaledb_functions.add_policy('policy_compression', 'Columnstore Policy', hypertable,
    jsonb_build_object('compress_after', compress_after::text, 'compress_created_before', compress_created_before::text),
    if_not_exists, coalesce(schedule_interval, _timescaledb_functions.default_schedule(hypertable)), initial_start, timezone,
    interval '1 hour');
END $$;

CREATE FUNCTION remove_compression_policy(hypertable regclass, if_exists boolean = false) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN _timescaledb_functions.remove_policy('policy_compression', 'Columnstore Policy', hypertable, if_exists);
END $$;

CREATE PROCEDURE add_columnstore_policy(hypertable regclass, after "any" = NULL, if_not_exists boolean = false,
  schedule_interval interval = NULL, initial_start timestamptz = NULL, timezone text = NULL, created_before interval = NULL)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_compression_policy(hypertable, after, if_not_exists, schedule_interval, initial_start, timezone, created_before);
END $$;

CREATE PROCEDURE remove_columnstore_policy(hypertable regclass, if_exists boolean = false) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM remove_compression_policy(hypertable, if_exists);
END $$;

CREATE FUNCTION _timescaledb_functions.policy_compression(job_id int, config jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  target regclass := _timescaledb_functions.job_hypertable(job_id);
  before bigint;
  made_before timestamptz := now() - (config->>'compress_created_before')::interval;
  chunk regclass;
BEGIN
  SELECT p.units INTO before FROM _timescaledb_functions.offset_point(target, config->>'compress_after', now()) p;
  FOR chunk IN SELECT c.relation FROM _timescaledb_catalog.chunk c
    WHERE c.hypertable = target AND NOT c.compressed
      AND (before IS NULL OR c.range_end <= before) AND (made_before IS NULL OR c.creation_time < made_before)
    ORDER BY c.range_start LOOP
    PERFORM compress_chunk(chunk);
  END LOOP;
END $$;

-- Refreshing continuous aggregates.

CREATE FUNCTION add_continuous_aggregate_policy(continuous_aggregate regclass, start_offset "any", end_offset "any",
  schedule_interval interval, if_not_exists boolean = false, initial_start timestamptz = NULL, timezone text = NULL)
RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  is_known boolean;
BEGIN
  SELECT true INTO is_known FROM timescaledb_information.continuous_aggregates c
  WHERE format('%I.%I', c.view_schema, c.view_name)::regclass = continuous_aggregate;
  IF is_known IS NOT TRUE THEN
    RAISE EXCEPTION '"%" is not a continuous aggregate', continuous_aggregate USING ERRCODE = '42809';
  END IF;
  IF (CASE WHEN pg_typeof(start_offset)::text = 'interval' AND pg_typeof(end_offset)::text = 'interval'
      THEN start_offset::text::interval <= end_offset::text::interval
    WHEN start_offset::text ~ '^-?[0-9]+$' AND end_offset::text ~ '^-?[0-9]+$'
      THEN start_offset::text::bigint <= end_offset::text::bigint END) THEN
    RAISE EXCEPTION 'policy refresh window too small' USING ERRCODE = '22023',
      DETAIL = 'The start and end offsets must cover at least one bucket in the valid time range.',
      HINT = 'The start offset is the greater one.';
  END IF;
  RETURN _timescaledb_functions.add_policy('policy_refresh_continuous_aggregate', 'Refresh Continuous Aggregate Policy',
    continuous_aggregate, jsonb_build_object('start_offset', start_offset::text, 'end_offset', end_offset::text),
    if_not_exists, schedule_interval, initial_start, timezone, schedule_interval);
END $$;

CREATE FUNCTION remove_continuous_aggregate_policy(continuous_aggregate regclass, if_not_exists boolean = NULL, if_exists boolean = NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM _timescaledb_functions.remove_policy('policy_refresh_continuous_aggregate', 'Refresh Continuous Aggregate Policy',
    continuous_aggregate, coalesce(if_exists, if_not_exists, false));
END $$;

-- The window of a run: a begun one has that of the moment when it began, so that what was announced is what is refreshed.
CREATE FUNCTION _timescaledb_functions.refresh_window(job_id int, config jsonb, OUT aggregate regclass, OUT window_start text, OUT window_end text)
LANGUAGE plpgsql AS $$
DECLARE
  present timestamptz := now();
BEGIN
  aggregate := _timescaledb_functions.job_hypertable(job_id);
  SELECT s.last_start INTO present FROM _timescaledb_config.job_stat s WHERE s.job_id = refresh_window.job_id AND s.is_running;
  SELECT p.point INTO window_start FROM _timescaledb_functions.offset_point(aggregate, config->>'start_offset', coalesce(present, now())) p;
  SELECT p.point INTO window_end FROM _timescaledb_functions.offset_point(aggregate, config->>'end_offset', coalesce(present, now())) p;
END $$;

CREATE FUNCTION _timescaledb_functions.policy_refresh_continuous_aggregate(job_id int, config jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part record;
BEGIN
  SELECT * INTO part FROM _timescaledb_functions.refresh_window(job_id, config);
  CALL refresh_continuous_aggregate(part.aggregate, part.window_start, part.window_end);
END $$;

-- Reordering. Rows of a run are in the order of the table, so only an index of that order can be followed.

CREATE FUNCTION add_reorder_policy(hypertable regclass, index_name name, if_not_exists boolean = false,
  initial_start timestamptz = NULL, timezone text = NULL)
RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(hypertable);
  RAISE EXCEPTION 'a policy that reorders chunks by an index is not supported' USING ERRCODE = '0A000',
    HINT = format('Rows lie in the order of the table, in all chunks: ALTER TABLE %s SET (timescaledb.orderby = ...) changes it.', hypertable);
END $$;
