// What migration tools do at each start: look at the catalog, add what is new, keep a journal.

const STEPS = [
  `CREATE TABLE IF NOT EXISTS "users" ("id" serial PRIMARY KEY NOT NULL, "name" varchar(256), "phone" text);
   CREATE UNIQUE INDEX IF NOT EXISTS "users_name" ON "users" ("name")`,
  `CREATE TYPE "mood" AS ENUM ('sad', 'ok', 'happy');
   ALTER TABLE "users" ADD COLUMN "mood" "mood" DEFAULT 'ok' NOT NULL;
   ALTER TABLE "users" ADD COLUMN "age" integer`,
  `CREATE TABLE "posts" ("id" serial PRIMARY KEY NOT NULL, "author" integer, "body" text NOT NULL,
     "at" timestamp with time zone DEFAULT now() NOT NULL);
   ALTER TABLE "posts" ADD CONSTRAINT "posts_author_fk" FOREIGN KEY ("author") REFERENCES "users" ("id") ON DELETE SET NULL ON UPDATE NO ACTION;
   CREATE INDEX "posts_author" ON "posts" USING btree ("author", "at" DESC)`,
  `ALTER TABLE "users" RENAME COLUMN "phone" TO "telephone";
   ALTER TABLE "users" ALTER COLUMN "age" TYPE bigint;
   ALTER TABLE "users" ALTER COLUMN "name" SET NOT NULL;
   ALTER TABLE "users" DROP COLUMN IF EXISTS "nothing";
   CREATE OR REPLACE VIEW "adults" AS SELECT "id", "name" FROM "users" WHERE "age" >= 18`,
];

export async function run(VarveDB) {
  for (let start = 0; start < 2; start++) {
    const db = await VarveDB.create('idb://migration');
    await db.exec('CREATE SCHEMA IF NOT EXISTS "drizzle"');
    await db.exec(
      `CREATE TABLE IF NOT EXISTS "drizzle"."__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
    );
    const { rows } = await db.query(
      'select id, hash, created_at from "drizzle"."__drizzle_migrations" order by created_at desc limit 1',
    );
    const done = rows.length ? Number(rows[0].created_at) : 0;
    for (const [at, step] of STEPS.entries()) {
      if (at + 1 <= done) continue;
      await db.transaction(async (tx) => {
        await tx.exec(step);
        await tx.query(
          'insert into "drizzle"."__drizzle_migrations" ("hash", "created_at") values ($1, $2)',
          [`hash ${at}`, at + 1],
        );
      });
    }
    for (const sql of INTROSPECTION) await db.query(sql);
    await db.query(
      "INSERT INTO users (name, mood, age) VALUES ($1, 'happy', 30) ON CONFLICT DO NOTHING",
      [`user ${start}`],
    );
    await db.query('SELECT * FROM adults');
    await db.exec(
      'SHOW server_version; SET search_path = public; SELECT version(), current_schema()',
    );
    await db.close();
  }
}

const INTROSPECTION = [
  `SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = 'public'`,
  `SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns
   WHERE table_schema = 'public' AND table_name = 'users' ORDER BY ordinal_position`,
  `SELECT c.relname, n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`,
  `SELECT to_regclass('public.users') IS NOT NULL AS is_there`,
];
