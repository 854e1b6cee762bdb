/** Mutations of outgoing webhooks and of the weekly report. */
import type { MutationsByTest } from './mutation.ts';

export const WEBHOOK_MUTATIONS: MutationsByTest = {
  'src/webhooks/webhooks.test.ts': {
    'A webhook is sent the events of another company': {
      file: 'src/webhooks/store/deliveries.ts',
      change: ['w.company_id = p.company_id and', 'true and'],
      failing: 'reaches every active webhook of its company and product that wants it, once and signed',
    },
    'A webhook is sent the events of another product': {
      file: 'src/webhooks/store/deliveries.ts',
      change: ['(w.only_product_id is null or w.only_product_id = p.id)', 'true'],
      failing: 'reaches every active webhook of its company and product that wants it, once and signed',
    },
    'A webhook that is off is sent events': {
      file: 'src/webhooks/store/deliveries.ts',
      change: ['w.is_active and', 'true and'],
      failing: 'reaches every active webhook of its company and product that wants it, once and signed',
    },
    'What waits for a webhook is sent after it was switched off': {
      file: 'src/webhooks/routes.ts',
      disabled: 'if (!body.is_active)',
      failing: 'that waits is given up when its webhook is switched off',
    },
    'A delivery is tried without end': {
      file: 'src/webhooks/store/deliveries.ts',
      change: [
        "state = case when expires_at <= clock_timestamp() then 'failed' else 'pending' end",
        "state = case when false then 'failed' else 'pending' end",
      ],
      failing: 'has failed after three days, and is sent again when an operator asks',
    },
    'A receiver that asks for time is called at once': {
      file: 'src/webhooks/deliver.ts',
      change: ['Math.min(outcome.retryAfterSeconds, MAX_DELAY_SECONDS)', '0'],
      failing: 'waits as long as a receiver asks',
    },
    'A webhook is tried again at a forbidden address': {
      file: 'src/webhooks/deliver.ts',
      disabled: "if (refusalReason(error) === 'rule')",
      failing: 'is not sent to an address that the rules forbid, nor tried again',
    },
    'A webhook is stored for an inner address': {
      file: 'src/webhooks/routes.ts',
      disabled: 'if (reason !== null)',
      failing: 'is refused for the address https://10.1.2.3/',
    },
    'Another receiver gets signatures of the first one': {
      file: 'src/webhooks/routes.ts',
      disabled: 'if (!isNewSecret)',
      failing: 'keeps its secret when the mask is sent back, and needs another one for another address',
    },
    'A secret of a webhook is read back': {
      file: 'src/webhooks/store.ts',
      change: ["secret: 't.secret_mask'", "secret: 't.secret_sealed'"],
      failing: 'never returns its secret',
    },
    'A company has any number of webhooks': {
      file: 'src/webhooks/routes.ts',
      disabled: 'if ((await countWebhooks(tx, body.company_id)) >= MAX_WEBHOOKS)',
      failing: 'is refused for the product of another company, and beyond twenty of a company',
    },
    "A webhook names another company's product": {
      file: 'src/webhooks/routes.ts',
      disabled: 'if (productId !== null && !(await isProductOf(tx, productId, body.company_id)))',
      failing: 'is refused for the product of another company, and beyond twenty of a company',
    },
  },
  'src/outcomes/weeklyReport.test.ts': {
    'A report is published before the week has ended': {
      change: ['day: monday - 7', 'day: monday'],
      failing: 'is made once, when the week has begun in the time zone of the product',
    },
    'A new webhook is sent the report of the week before it': {
      file: 'src/webhooks/store/deliveries.ts',
      change: ['w.created_at <= ${wantedSince ?? null}', 'true'],
      failing: 'is not made for a webhook that was added after the week had begun',
    },
    'A report names leads': {
      change: ['({ examples: _examples, ...item }) => item', '(item) => item'],
      failing: 'has the figures of the tables, reaches the webhook as the API shows it, and names no lead',
    },
  },
};
