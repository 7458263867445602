// A to-do application: tables with constraints, single rows by key, joins, JSON, upserts, errors, a reopen.

const SCHEMA = `
  CREATE TABLE account (
    id serial PRIMARY KEY,
    email varchar(200) NOT NULL UNIQUE,
    name text NOT NULL DEFAULT '',
    is_admin boolean NOT NULL DEFAULT false,
    settings jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE project (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    owner integer NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    title text NOT NULL CHECK (length(title) > 0),
    budget numeric(12, 2),
    due date,
    tags text[] NOT NULL DEFAULT '{}'
  );
  CREATE TABLE task (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project uuid NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    title text NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'late')),
    priority smallint NOT NULL DEFAULT 3,
    estimate double precision,
    done_at timestamp
  );
  CREATE INDEX task_project ON task (project, state);
  CREATE INDEX task_open ON task (priority) WHERE state = 'open';
`;

export async function run(VarveDB) {
  let db = await VarveDB.create('idb://crud');
  await db.exec(SCHEMA);
  const accounts = [];
  for (let i = 0; i < 20; i++) {
    const { rows } = await db.query(
      'INSERT INTO account (email, name, settings) VALUES ($1, $2, $3) RETURNING id, email, created_at',
      [`user${i}@example.org`, `User ${i}`, { theme: i % 2 ? 'dark' : 'light', size: i }],
    );
    accounts.push(rows[0].id);
  }
  const projects = [];
  for (const owner of accounts) {
    const { rows } = await db.query(
      `insert into "project" ("id", "owner", "title", "budget", "due", "tags") values (default, $1, $2, $3, $4, $5)
       returning "id", "title"`,
      [owner, `Project of ${owner}`, '1234.50', '2026-11-30', ['home', 'garden']],
    );
    projects.push(rows[0].id);
  }
  await db.transaction(async (tx) => {
    for (let i = 0; i < 300; i++) {
      await tx.query(
        'INSERT INTO task (project, title, priority, estimate) VALUES ($1, $2, $3, $4)',
        [projects[i % projects.length], `Task ${i}`, i % 5, i / 3],
      );
    }
  });
  await reads(db, projects);
  await writes(db, accounts, projects);
  await failures(db);
  await db.close();
  db = await VarveDB.create('idb://crud');
  await reads(db, projects);
  await db.exec('VACUUM');
  await db.close();
}

async function reads(db, projects) {
  await db.query('SELECT * FROM account WHERE id = $1', [3]);
  await db.query('SELECT id, email FROM account WHERE email = $1', ['user7@example.org']);
  await db.query(
    `select "t"."id", "t"."title", "t"."state", "p"."title" as "project" from "task" "t"
     left join "project" "p" on "t"."project" = "p"."id"
     where ("t"."state" = $1 and "t"."priority" <= $2) order by "t"."priority" asc, "t"."id" desc limit $3 offset $4`,
    ['open', 3, 20, 5],
  );
  await db.query(
    `SELECT p.id, p.title, count(t.id) AS tasks, count(*) FILTER (WHERE t.state = 'done') AS done,
            sum(t.estimate) AS estimate, coalesce(max(t.priority), 0) AS priority
     FROM project p LEFT JOIN task t ON t.project = p.id GROUP BY p.id, p.title HAVING count(t.id) > 2
     ORDER BY tasks DESC, p.title LIMIT 10`,
  );
  await db.query(
    `SELECT a.name, a.settings->>'theme' AS theme, (a.settings->'size')::int AS size FROM account a
     WHERE a.settings @> '{"theme": "dark"}' AND EXISTS (SELECT 1 FROM project p WHERE p.owner = a.id)
     ORDER BY lower(a.name)`,
  );
  await db.query('SELECT * FROM task WHERE project = ANY($1) AND title ILIKE $2', [
    projects.slice(0, 3),
    '%task 1%',
  ]);
  await db.query('SELECT * FROM task WHERE id IN (1, 2, 3, 500) OR done_at IS NOT NULL');
  await db.query(
    `WITH busy AS (SELECT project, count(*) AS n FROM task GROUP BY project)
     SELECT p.title, busy.n, to_char(p.due, 'DD.MM.YYYY') AS due, p.due - current_date AS days, p.tags
     FROM project p JOIN busy ON busy.project = p.id WHERE p.due BETWEEN '2026-01-01' AND '2026-12-31'`,
  );
  await db.query(
    `select "p"."id", "p"."title", "tasks"."data" from "project" "p" left join lateral
       (select coalesce(json_agg(json_build_array("t"."id", "t"."title")), '[]'::json) as "data"
        from (select * from "task" "task" where "task"."project" = "p"."id" limit 3) "t") "tasks" on true limit 4`,
  );
  await db.query("SELECT DISTINCT state, upper(substr(title, 1, 4)) || '!' AS start FROM task");
  await db.query('SELECT count(*) FROM task');
  await db.sql`SELECT title FROM task WHERE estimate > ${10.5} AND priority <> ${2} ORDER BY estimate`;
}

async function writes(db, accounts, projects) {
  await db.query('UPDATE task SET state = $1, done_at = now() WHERE id = $2', ['done', 5]);
  await db.query('UPDATE task SET priority = priority + 1 WHERE project = $1 RETURNING *', [
    projects[0],
  ]);
  await db.query(
    `INSERT INTO account (email, name) VALUES ($1, $2) ON CONFLICT (email)
     DO UPDATE SET name = excluded.name, settings = account.settings || '{"seen": true}' RETURNING *`,
    ['user3@example.org', 'Another'],
  );
  await db.query(
    'INSERT INTO account (email, name) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
    ['user4@example.org', 'Nobody'],
  );
  await db.query(`UPDATE account SET settings = jsonb_set(settings, '{size}', '42') WHERE id = 2`);
  await db.query('DELETE FROM task WHERE state = $1 AND priority > $2', ['open', 3]);
  await db.query('DELETE FROM account WHERE id = $1', [accounts.at(-1)]);
  await db.query(
    `INSERT INTO task (project, title) SELECT id, 'Review ' || title FROM project ORDER BY title LIMIT 5`,
  );
  await db.query(
    'UPDATE task t SET title = p.title FROM project p WHERE t.project = p.id AND t.id < 10',
  );
  await db.executeBatch([
    "INSERT INTO account (email) VALUES ('batch@example.org')",
    "DELETE FROM account WHERE email = 'batch@example.org'",
  ]);
  await db
    .transaction(async (tx) => {
      await tx.query('SAVEPOINT one');
      await tx.query("UPDATE account SET name = 'x'");
      await tx.query('ROLLBACK TO SAVEPOINT one');
      await tx.query('SELECT * FROM account WHERE id = 1 FOR UPDATE');
      throw new Error('undone');
    })
    .catch(() => undefined);
}

async function failures(db) {
  const failing = [
    "INSERT INTO account (email) VALUES ('user1@example.org')",
    "INSERT INTO project (owner, title) VALUES (999, 'x')",
    "INSERT INTO project (owner, title) VALUES (1, '')",
    'INSERT INTO account (email) VALUES (NULL)',
    'SELECT * FROM nowhere',
    'SELECT nothing FROM account',
    'SELEC 1',
    "SELECT 'a'::int",
    'SELECT 1 / 0',
  ];
  for (const sql of failing) await db.query(sql).catch(() => undefined);
}
