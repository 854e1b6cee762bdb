import pg from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from './postgres.ts';

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

test('gives each test its own database and drops it', async () => {
  const [anna, boris] = await Promise.all([freshDatabase(), freshDatabase()]);
  await query(anna.url, 'CREATE TABLE only_here (id int)');
  await expect(query(boris.url, 'SELECT * FROM only_here')).rejects.toThrow('does not exist');
  await Promise.all([anna.drop(), boris.drop()]);
  await expect(query(anna.url, 'SELECT 1')).rejects.toThrow('does not exist');
});

test('closes open connections when a database is dropped', async () => {
  const { url, drop } = await freshDatabase();
  const client = new pg.Client({ connectionString: url });
  const cut = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await drop();
  expect(await cut).toBeInstanceOf(Error);
});
