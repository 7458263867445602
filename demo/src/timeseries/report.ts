import type { VarveDB } from 'varvedb';

/** A chunk of a hypertable. */
export interface ChunkReport {
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly isCompressed: boolean;
  readonly bytes: number;
}

/** A job, and how its last run ended. */
export interface JobReport {
  readonly id: number;
  readonly name: string;
  readonly table: string | null;
  readonly every: string;
  readonly status: string | null;
  readonly runs: number;
}

const CHUNKS_MAX = 40;

const CHUNKS = `SELECT hypertable_name AS table, range_start::text AS "from", range_end::text AS "to",
  is_compressed AS "isCompressed",
  pg_table_size(format('%I.%I', chunk_schema, chunk_name)::regclass)::float8 AS bytes
FROM timescaledb_information.chunks
ORDER BY hypertable_name, range_start DESC LIMIT ${CHUNKS_MAX}`;

const JOBS = `SELECT j.job_id AS id, regexp_replace(j.application_name, ' \\[.*', '') AS name,
  j.hypertable_name AS table, j.schedule_interval::text AS every, s.last_run_status AS status,
  coalesce(s.total_runs, 0)::int AS runs
FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.job_stats s USING (job_id)
ORDER BY j.job_id`;

/** The newest chunks by table, and all jobs. */
export async function readTimeSeries(
  db: VarveDB,
): Promise<{ chunks: readonly ChunkReport[]; jobs: readonly JobReport[] }> {
  const chunks = await db.query<ChunkReport>(CHUNKS);
  const jobs = await db.query<JobReport>(JOBS);
  return { chunks: chunks.rows, jobs: jobs.rows };
}
