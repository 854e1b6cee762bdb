import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { changeRow, resource } from '../platform/http/resource.ts';
import { type Call, ok, type Route, route } from '../platform/http/routes.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import {
  changeOwnPassword,
  endOperatorSessions,
  type Operator,
  operators,
  setOperatorPassword,
} from './accountContract.ts';
import { operatorRefusals } from './contract.ts';
import { requireStrongPassword } from './newPassword.ts';
import { addOperator, changeOperator, changePassword, signOutEverywhere } from './operator.ts';
import { originOf } from './origin.ts';
import { isSamePassword, verifyPassword } from './password.ts';
import type { Sessions } from './session.ts';
import { countAttempt, forgiveAttempts, recordFailure } from './signIn.ts';
import { findOperator, lockAdmins, lockIfPasswordUnchanged, lockOperator } from './store/operators.ts';
import { IS_OPEN } from './store/sessions.ts';

/** Condition for operators who belong to the company `$`. */
const BELONGS = 'exists (select 1 from operator_companies c where c.operator_id = t.id and c.company_id = $)';

const operatorResource = (context: AppContext) =>
  resource(context, { ...operators, remove: operators.replace } as never, {
    table: 'operators',
    from: 'operators t',
    select: {
      id: 't.id',
      login: 't.login',
      role: 't.role',
      is_active: 't.is_active',
      company_ids:
        "coalesce((select jsonb_agg(o.company_id order by o.company_id) from operator_companies o where o.operator_id = t.id), '[]')",
      companies: `coalesce((select jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by c.name, c.id)
                    from operator_companies o join companies c on c.id = o.company_id where o.operator_id = t.id), '[]')`,
      created_at: 't.created_at',
      version: 't.revision',
      last_sign_in_at: 't.last_sign_in_at',
      sessions: `(select count(*) from sessions s where s.operator_id = t.id and ${IS_OPEN})`,
    },
    conditions: { company_id: BELONGS },
    search: ['t.login'],
    scopeCondition: null,
    id: 't.id',
    nullable: ['last_sign_in_at'],
  });

/**
 * Create the routes for operators (admins only) and for an operator's own password. `cookieName` is the cookie with the
 * session token.
 */
export function accountRoutes(context: AppContext, sessions: Sessions, cookieName: string): Route[] {
  /**
   * Run a change of rights. This node applies it before the answer is sent, the others as soon as they are notified.
   */
  const transact = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const done = await context.transact(work);
    sessions.forget();
    return done;
  };
  const plain = operatorResource(context);

  const readOperator = async (id: number, reader: Reader = context.reader): Promise<Operator> => {
    const found = (await plain.read(reader, id)) as Operator | null;
    if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'operator' });
    return found;
  };

  async function change({ params, body, caller, requestId, ifMatch }: Call<typeof operators.replace>) {
    await transact(async (tx) => {
      // Lock the admins first, as `changeOperator` does: in another order two transactions would wait for each other.
      await lockAdmins(tx);
      await lockOperator(tx, params.id);
      const before = await readOperator(params.id, tx);
      const row = { noun: 'operator', rowId: params.id, before, shape: operators.update, body, ifMatch };
      await changeRow(tx, row, async ({ role, company_ids: companies, is_active: isActive }) => {
        const changes = { role, companies, isActive };
        await changeOperator(tx, { operatorRef: params.id, changes, actor: { caller, requestId } });
        return before;
      });
    });
    return ok(200, await readOperator(params.id));
  }

  return [
    plain.list,
    plain.get,
    route(operators.create, async ({ body, caller, requestId }) => {
      const { login, password, role, company_ids } = body;
      const companies = role === 'admin' ? null : company_ids;
      const id = await transact((tx) =>
        addOperator(tx, { login, password, companies, mustChange: true }, { caller, requestId }),
      );
      return ok(201, await readOperator(id));
    }),
    route(operators.replace, change),
    route(operators.change, change),
    route(setOperatorPassword, async ({ params, body, caller, requestId }) => {
      await transact((tx) =>
        changePassword(tx, { operatorRef: params.id, password: body.password, actor: { caller, requestId } }),
      );
      return ok(200, await readOperator(params.id));
    }),
    route(endOperatorSessions, async ({ params, caller, requestId }) => {
      await transact((tx) => signOutEverywhere(tx, params.id, { caller, requestId }));
      return ok(200, await readOperator(params.id));
    }),
    changeOwnPasswordRoute({ context, transact, cookieName }),
  ];
}

interface OwnPasswordParts {
  readonly context: AppContext;
  readonly transact: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly cookieName: string;
}

function changeOwnPasswordRoute({ context, transact, cookieName }: OwnPasswordParts): Route {
  return route(changeOwnPassword, async ({ body, caller, requestId, raw }) => {
    // Attempts are limited as at sign-in, so that an open console cannot be used to guess the password.
    const origin = originOf(raw);
    // Checked before the attempt is counted: a weak new password is no guess at the current one.
    requireStrongPassword(body.password, caller.login);
    if (caller.mustChangePassword && isSamePassword(body.password, body.current))
      throw refuse(operatorRefusals, 'operator.same_password');
    const isLast = await countAttempt(context, caller.login, origin);
    const self = await findOperator(context.reader, caller.login);
    const right = self !== undefined && (await verifyPassword(body.current, self.password_hash));
    const token = raw.cookies[cookieName];
    const changed =
      right &&
      (await transact(async (tx) => {
        // While the password was compared, an admin may have set another one or ended this session.
        if (!(await lockIfPasswordUnchanged(tx, self.id, self.password_hash))) return false;
        await forgiveAttempts(tx, caller.login, origin);
        const tokenHash = token === undefined ? null : fingerprint(token);
        await changePassword(tx, {
          operatorRef: caller.id,
          password: body.password,
          actor: { caller, requestId },
          except: tokenHash,
        });
        return true;
      }));
    if (!changed) {
      await recordFailure(context, 'confirmation failed', { operator: caller, origin, isLast });
      throw refuse(operatorRefusals, 'operator.wrong_password');
    }
    return ok(204, null);
  });
}
