/** SQL statements about operators. */
import { type Generated, sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { roles } from '../contract.ts';

type OperatorRole = (typeof roles)[number];

declare module '../../platform/db.ts' {
  interface Tables {
    operators: Row<'operators', { role: OperatorRole; login_key: Generated<string> }>;
    operator_companies: Row<'operator_companies'>;
  }
}

export interface OperatorRow {
  id: number;
  login: string;
  password_hash: string;
  role: OperatorRole;
  is_active: boolean;
}

export function findOperator(reader: Reader, login: string): Promise<OperatorRow | undefined> {
  return reader
    .selectFrom('operators')
    .select(['id', 'login', 'password_hash', 'role', 'is_active'])
    .where(sql<boolean>`lower(login) = lower(${login})`)
    .executeTakeFirst();
}

export async function insertOperator(
  tx: Tx,
  operator: {
    login: string;
    passwordHash: string;
    role: OperatorRole;
    companies: readonly number[];
    mustChange: boolean;
  },
): Promise<number> {
  const row = await tx
    .insertInto('operators')
    .values({
      login: operator.login,
      password_hash: operator.passwordHash,
      role: operator.role,
      must_change_password: operator.mustChange,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const company of operator.companies) {
    await tx.insertInto('operator_companies').values({ operator_id: row.id, company_id: company }).execute();
  }
  return row.id;
}

export async function setPassword(
  tx: Tx,
  operatorId: number,
  { passwordHash, mustChange }: { passwordHash: string; mustChange: boolean },
): Promise<void> {
  await tx
    .updateTable('operators')
    .set({ password_hash: passwordHash, must_change_password: mustChange })
    .where('id', '=', operatorId)
    .execute();
}

/**
 * Lock an active operator if the password is still the one that was compared. Disabling the operator or changing the
 * password locks the same row.
 */
export async function lockIfPasswordUnchanged(tx: Tx, id: number, passwordHash: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from operators where id = ${id} and is_active and password_hash = ${passwordHash}
       for no key update`.execute(tx);
  return rows.length > 0;
}

/** Lock all active admins, so that no two of them disable each other at once. Returns their ids. */
export async function lockAdmins(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from operators where role = 'admin' and is_active order by id for update`.execute(tx);
  return rows.map((row) => row.id);
}

/** Lock an operator and return them with their companies. */
export async function lockOperator(tx: Tx, id: number): Promise<OperatorWithCompanies | undefined> {
  const { rows } = await sql<OperatorWithCompanies>`
    select o.id, o.login, o.role, o.is_active,
           coalesce((select jsonb_agg(c.company_id order by c.company_id) from operator_companies c where c.operator_id = o.id), '[]') as companies
      from operators o where o.id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function setRole(
  tx: Tx,
  id: number,
  to: { role: OperatorRole; isActive: boolean; companies: readonly number[] },
): Promise<void> {
  await sql`
    update operators set role = ${to.role}, is_active = ${to.isActive}, revision = revision + 1
     where id = ${id}`.execute(tx);
  await tx.deleteFrom('operator_companies').where('operator_id', '=', id).execute();
  await sql`
    insert into operator_companies (operator_id, company_id)
    select ${id}, company from unnest(${[...to.companies]}::bigint[]) company`.execute(tx);
}

/** Assign the dialogues that an operator cannot see any more to nobody. Returns them. */
export async function releaseDialogues(tx: Tx, operatorId: number): Promise<{ id: number; product_id: number }[]> {
  const { rows } = await sql<{ id: number; product_id: number }>`
    select id, product_id from release_dialogues(${operatorId}) order by id`.execute(tx);
  return rows;
}

export interface OperatorWithCompanies {
  id: number;
  login: string;
  role: OperatorRole;
  is_active: boolean;
  companies: number[];
}

export async function listOperators(reader: Reader): Promise<OperatorWithCompanies[]> {
  const { rows } = await sql<OperatorWithCompanies>`
    select o.id, o.login, o.role, o.is_active,
           coalesce((select jsonb_agg(c.company_id order by c.company_id) from operator_companies c where c.operator_id = o.id), '[]') as companies
      from operators o order by o.id`.execute(reader);
  return rows;
}
