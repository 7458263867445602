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
