-- Chunks on demand: compressed ones lie in few, sorted runs. Rows can be changed in either state.

CREATE FUNCTION _timescaledb_functions.require_chunk(chunk regclass) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  compressed boolean;
BEGIN
  SELECT c.compressed INTO compressed FROM _timescaledb_catalog.chunk c WHERE c.relation = chunk;
  IF NOT FOUND THEN
    RAISE EXCEPTION '"%" is not a chunk', chunk USING ERRCODE = '42809',
      HINT = 'show_chunks(hypertable) gives the chunks of a hypertable.';
  END IF;
  RETURN compressed;
END $$;

CREATE FUNCTION compress_chunk(uncompressed_chunk regclass, if_not_compressed boolean = true, recompress boolean = false)
RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
  IF _timescaledb_functions.require_chunk(uncompressed_chunk) AND NOT recompress THEN
    IF NOT if_not_compressed THEN
      RAISE EXCEPTION 'chunk "%" is already converted to columnstore', uncompressed_chunk USING ERRCODE = '42710';
    END IF;
    RAISE NOTICE 'chunk "%" is already converted to columnstore, its new rows are compacted', uncompressed_chunk;
  END IF;
  EXECUTE format('ALTER TABLE %s SET (tsdb.compressed = true)', uncompressed_chunk);
  RETURN uncompressed_chunk;
END $$;

CREATE FUNCTION decompress_chunk(uncompressed_chunk regclass, if_compressed boolean = true)
RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
  IF NOT _timescaledb_functions.require_chunk(uncompressed_chunk) THEN
    IF NOT if_compressed THEN
      RAISE EXCEPTION 'chunk "%" is not converted to columnstore', uncompressed_chunk USING ERRCODE = '55000';
    END IF;
    RAISE NOTICE 'chunk "%" is not converted to columnstore', uncompressed_chunk;
    RETURN NULL;
  END IF;
  EXECUTE format('ALTER TABLE %s SET (tsdb.compressed = false)', uncompressed_chunk);
  RETURN uncompressed_chunk;
END $$;

CREATE FUNCTION recompress_chunk(chunk regclass, if_not_compressed boolean = true)
RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
  IF NOT _timescaledb_functions.require_chunk(chunk) THEN
    RAISE EXCEPTION 'call compress_chunk instead of recompress_chunk' USING ERRCODE = '55000',
      HINT = format('"%s" is not compressed.', chunk);
  END IF;
  RETURN compress_chunk(chunk, recompress => true);
END $$;

CREATE PROCEDURE recompress_chunk(chunk regclass, if_not_compressed boolean = true) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM compress_chunk(chunk, recompress => _timescaledb_functions.require_chunk(chunk));
END $$;

CREATE PROCEDURE convert_to_columnstore(chunk regclass, if_not_columnstore boolean = true, recompress boolean = false)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM compress_chunk(chunk, if_not_columnstore, recompress);
END $$;

CREATE PROCEDURE convert_to_rowstore(chunk regclass, if_columnstore boolean = true) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM decompress_chunk(chunk, if_columnstore);
END $$;

CREATE FUNCTION compact_chunk(chunk regclass) RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
  RETURN recompress_chunk(chunk);
END $$;

-- Chunks become one: the first one has the ranges of the others then, and no row moves.

CREATE PROCEDURE merge_chunks(chunk1 regclass, chunk2 regclass) LANGUAGE plpgsql AS $$
BEGIN
  CALL merge_chunks(ARRAY[chunk1, chunk2]);
END $$;

CREATE PROCEDURE merge_chunks(chunks regclass[]) LANGUAGE plpgsql AS $$
DECLARE
  chunk regclass;
  first regclass;
BEGIN
  IF chunks IS NULL OR array_length(chunks, 1) < 2 THEN
    RAISE EXCEPTION 'must specify at least two chunks to merge' USING ERRCODE = '22023';
  END IF;
  IF (SELECT count(DISTINCT c) FROM unnest(chunks) c) < array_length(chunks, 1) THEN
    RAISE EXCEPTION 'duplicate chunk in the chunks to merge' USING ERRCODE = '22023';
  END IF;
  FOREACH chunk IN ARRAY chunks LOOP
    PERFORM _timescaledb_functions.require_chunk(chunk);
  END LOOP;
  FOR chunk IN SELECT c.relation FROM _timescaledb_catalog.chunk c WHERE c.relation = ANY (chunks)
    ORDER BY c.hypertable, c.range_start LOOP
    IF first IS NULL THEN
      first := chunk;
    ELSE
      EXECUTE format('ALTER TABLE %s SET (tsdb.merged = %L)', first, chunk::text);
    END IF;
  END LOOP;
END $$;

-- What compression saves. Before is what the rows that are there now take where they are not compressed: their values,
-- and 28 bytes a row. Entries of indexes are not divided by time.

CREATE FUNCTION _timescaledb_functions.plain_bytes(relation regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  bytes bigint;
  each text;
  source regclass;
BEGIN
  SELECT coalesce(max(c.hypertable::oid), plain_bytes.relation::oid)::regclass INTO source FROM _timescaledb_catalog.chunk c WHERE c.relation = plain_bytes.relation;
  SELECT string_agg(format('coalesce(pg_column_size(%I), 0)', a.attname), ' + ') INTO each
  FROM pg_catalog.pg_attribute a WHERE a.attrelid = source::oid AND a.attnum > 0 AND NOT a.attisdropped;
  EXECUTE format('SELECT coalesce(sum(28 + %s), 0)::bigint FROM %s', each, relation) INTO bytes;
  RETURN bytes;
END $$;

CREATE FUNCTION chunk_compression_stats(hypertable regclass)
RETURNS TABLE (chunk_schema name, chunk_name name, compression_status text, before_compression_table_bytes bigint,
  before_compression_index_bytes bigint, before_compression_toast_bytes bigint, before_compression_total_bytes bigint,
  after_compression_table_bytes bigint, after_compression_index_bytes bigint, after_compression_toast_bytes bigint,
  after_compression_total_bytes bigint, node_name name)
LANGUAGE plpgsql AS $$
DECLARE
  chunk record;
BEGIN
  PERFORM _timescaledb_functions.require_hypertable(hypertable);
  chunk_schema := '_timescaledb_internal';
  FOR chunk IN SELECT c.*, h.id AS number FROM _timescaledb_catalog.chunk c JOIN _timescaledb_catalog.hypertable h
    ON h.relation = c.hypertable WHERE c.hypertable = chunk_compression_stats.hypertable ORDER BY c.range_start LOOP
    chunk_name := format('_hyper_%s_%s_chunk', chunk.number, chunk.id);
    compression_status := CASE WHEN chunk.compressed THEN 'Compressed' ELSE 'Uncompressed' END;
    before_compression_table_bytes := NULL;
    after_compression_table_bytes := NULL;
    IF chunk.compressed THEN
      before_compression_table_bytes := _timescaledb_functions.plain_bytes(chunk.relation);
      after_compression_table_bytes := pg_table_size(chunk.relation);
    END IF;
    before_compression_index_bytes := before_compression_table_bytes * 0;
    before_compression_toast_bytes := before_compression_table_bytes * 0;
    before_compression_total_bytes := before_compression_table_bytes;
    after_compression_index_bytes := after_compression_table_bytes * 0;
    after_compression_toast_bytes := after_compression_table_bytes * 0;
    after_compression_total_bytes := after_compression_table_bytes;
    RETURN NEXT;
  END LOOP;
END $$;

CREATE FUNCTION hypertable_compression_stats(hypertable regclass)
RETURNS TABLE (total_chunks bigint, number_compressed_chunks bigint, before_compression_table_bytes bigint,
  before_compression_index_bytes bigint, before_compression_toast_bytes bigint, before_compression_total_bytes bigint,
  after_compression_table_bytes bigint, after_compression_index_bytes bigint, after_compression_toast_bytes bigint,
  after_compression_total_bytes bigint, node_name name)
LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE s.compression_status = 'Compressed'), sum(s.before_compression_table_bytes)::bigint,
    sum(s.before_compression_index_bytes)::bigint, sum(s.before_compression_toast_bytes)::bigint,
    sum(s.before_compression_total_bytes)::bigint, sum(s.after_compression_table_bytes)::bigint,
    sum(s.after_compression_index_bytes)::bigint, sum(s.after_compression_toast_bytes)::bigint,
    sum(s.after_compression_total_bytes)::bigint, NULL::name
  FROM chunk_compression_stats($1) s
$$;

CREATE FUNCTION chunk_columnstore_stats(hypertable regclass)
RETURNS TABLE (chunk_schema name, chunk_name name, compression_status text, before_compression_table_bytes bigint,
  before_compression_index_bytes bigint, before_compression_toast_bytes bigint, before_compression_total_bytes bigint,
  after_compression_table_bytes bigint, after_compression_index_bytes bigint, after_compression_toast_bytes bigint,
  after_compression_total_bytes bigint, node_name name)
LANGUAGE sql AS $$ SELECT * FROM chunk_compression_stats($1) $$;

CREATE FUNCTION hypertable_columnstore_stats(hypertable regclass)
RETURNS TABLE (total_chunks bigint, number_compressed_chunks bigint, before_compression_table_bytes bigint,
  before_compression_index_bytes bigint, before_compression_toast_bytes bigint, before_compression_total_bytes bigint,
  after_compression_table_bytes bigint, after_compression_index_bytes bigint, after_compression_toast_bytes bigint,
  after_compression_total_bytes bigint, node_name name)
LANGUAGE sql AS $$ SELECT * FROM hypertable_compression_stats($1) $$;
