-- Continuous aggregates. What there is to do is asked by queries that the catalog gives; a range of
-- buckets is made anew by REFRESH MATERIALIZED VIEW ... WITH (tsdb. ...).

CREATE FUNCTION _timescaledb_functions.window_bound(aggregate regclass, query text, value text, value_type regtype)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  bound bigint;
BEGIN
  IF value IS NULL THEN
    RETURN NULL;
  END IF;
  IF value_type::text = 'interval' THEN
    RAISE EXCEPTION 'invalid time argument type "interval"' USING ERRCODE = '22023',
      HINT = 'Give a point in time: now() - INTERVAL ''1 day''.';
  END IF;
  PERFORM _timescaledb_functions.chunk_point(aggregate, value, value_type);
  EXECUTE format(query, value) INTO bound;
  RETURN bound;
END $$;

CREATE PROCEDURE refresh_continuous_aggregate(continuous_aggregate regclass, window_start "any", window_end "any",
  force boolean = false)
LANGUAGE plpgsql AS $$
DECLARE
  known record;
  first_bucket bigint;
  end_bucket bigint;
  least_option text := '';
  least_bucket bigint;
  wanted text;
  part record;
  is_done boolean := false;
BEGIN
  SELECT * INTO known FROM _timescaledb_catalog.continuous_agg a WHERE a.relation = continuous_aggregate;
  IF known.relation IS NULL THEN
    RAISE EXCEPTION 'relation "%" is not a continuous aggregate', continuous_aggregate USING ERRCODE = '42809';
  END IF;
  first_bucket := _timescaledb_functions.window_bound(continuous_aggregate, known.window_start,
    window_start::text, pg_typeof(window_start));
  end_bucket := _timescaledb_functions.window_bound(continuous_aggregate, known.window_end,
    window_end::text, pg_typeof(window_end));
  IF first_bucket >= end_bucket THEN
    RAISE EXCEPTION 'refresh window too small' USING ERRCODE = '22023',
      DETAIL = 'No whole bucket lies inside the window.',
      HINT = 'Begin and end the window where buckets do, or make it two buckets wide.';
  END IF;
  IF known.watermark IS NULL THEN
    EXECUTE known.all_of_source INTO least_bucket;
    least_option := format(', tsdb.refresh_least = %L', least_bucket);
  END IF;
  wanted := CASE WHEN force THEN known.all_of_source || ' UNION ALL ' || known.made
    ELSE known.noted || ' UNION ALL ' || known.unmade END;
  -- Ranges that touch are one.
  FOR part IN EXECUTE format('SELECT min(lo) AS lo, max(hi) AS hi FROM (
      SELECT lo, hi, sum(CASE WHEN lo <= reach THEN 0 ELSE 1 END) OVER (ORDER BY lo, hi) AS island FROM (
        SELECT lo, hi, max(hi) OVER (ORDER BY lo, hi ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
        FROM (SELECT greatest(lo, %1$L::bigint) AS lo, least(hi, %2$L::bigint) AS hi FROM (%3$s) AS a) AS b
        WHERE lo < hi) AS c) AS d GROUP BY island ORDER BY 1', first_bucket, end_bucket, wanted)
  LOOP
    EXECUTE format('REFRESH MATERIALIZED VIEW %s WITH (tsdb.refresh_start = %L, tsdb.refresh_end = %L%s)',
      continuous_aggregate, part.lo, part.hi, least_option);
    is_done := true;
  END LOOP;
  IF NOT is_done THEN
    RAISE NOTICE 'continuous aggregate "%" is already up-to-date', continuous_aggregate;
  END IF;
END $$;

-- What a policy calls in a transaction before that of the refresh: from then on changes below the
-- end of the window are noted, so that the refresh and those who write there meanwhile do not
-- exclude each other.
CREATE PROCEDURE _timescaledb_functions.announce_refresh(continuous_aggregate regclass, window_end "any")
LANGUAGE plpgsql AS $$
DECLARE
  known record;
  end_bucket bigint;
BEGIN
  SELECT * INTO known FROM _timescaledb_catalog.continuous_agg a WHERE a.relation = continuous_aggregate;
  end_bucket := _timescaledb_functions.window_bound(continuous_aggregate, known.window_end,
    window_end::text, pg_typeof(window_end));
  IF end_bucket IS NULL THEN
    EXECUTE format('SELECT hi FROM (%s) AS a', known.all_of_source) INTO end_bucket;
  END IF;
  IF end_bucket IS NOT NULL THEN
    EXECUTE format('ALTER MATERIALIZED VIEW %s SET (tsdb.noted_below = %L)', continuous_aggregate, end_bucket);
  END IF;
END $$;
