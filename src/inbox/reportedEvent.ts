/** What a vendor's report means to the message that it is about. */
import type { DeliveryEvent, ReportedStatus } from '../engine/rules/delivery.ts';
import type { RejectedAbout } from '../engine/rules/rejection.ts';

/** A report, as it is stored. */
export interface StoredReport {
  readonly status: string;
  /** The vendor's time as it gave it. */
  readonly occurred_at: string | null;
  readonly error_reason: string | null;
  readonly error_code: string | null;
  readonly error_about: RejectedAbout | null;
}

/** An echo of a message of ours says that it was sent, whatever its status. */
export const toReportedStatus = (status: string): ReportedStatus =>
  status === 'delivered' || status === 'read' || status === 'error' ? status : 'sent';

/** Return the event of a report. */
export function reportedEvent(report: StoredReport): DeliveryEvent {
  const at = report.occurred_at === null ? Number.NaN : Date.parse(report.occurred_at);
  return {
    kind: 'reported',
    status: toReportedStatus(report.status),
    at: Number.isNaN(at) ? null : at,
    reason: report.error_reason,
    code: report.error_code,
    about: report.error_about,
  };
}
