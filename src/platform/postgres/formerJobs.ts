/** Jobs in backups of earlier versions, which had a job runner. Its tables are not restored. */
import type pg from 'pg';
import { columnsOf, quoteName, type Table } from './archive.ts';

/** Schema of the job runner of earlier versions. A database that was upgraded from one still has it. */
export const RUNNER = 'graphile_worker';

/** The tables that tell what is to be done, with the names of their temporary tables. */
const TEMPORARY: Readonly<Record<string, string>> = { _private_jobs: 'former_jobs', _private_tasks: 'former_tasks' };

export interface FormerJobs {
  /** Store rows of a table of the runner. */
  readonly store: (table: Table, records: readonly string[]) => Promise<void>;
  /** Have the work of the jobs done. Runs once the tables are those of this version. */
  readonly adopt: () => Promise<void>;
}

/** Store what a backup has of jobs in temporary tables, for as long as the session of `client` lasts. */
export function createFormerJobs(client: pg.Client): FormerJobs {
  const stored = new Set<string>();
  return {
    async store(table, records) {
      const name = TEMPORARY[table.name];
      if (name === undefined) return;
      if (!stored.has(name))
        await client.query(
          `create temp table ${name} (${table.columns.map((one) => `${quoteName(one)} text`).join(', ')})`,
        );
      stored.add(name);
      await client.query(
        `insert into ${name} (${columnsOf(table)})
         select (r).* from (select unnest($1::text[])::pg_temp.${name} as r offset 0) records`,
        [records],
      );
    },
    async adopt() {
      if (stored.size < Object.keys(TEMPORARY).length) return;
      await client.query(
        'select public.adopt_job(t.identifier, j.payload::jsonb) from former_jobs j join former_tasks t on t.id = j.task_id',
      );
    },
  };
}
