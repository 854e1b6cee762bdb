/** The queues of the engine in memory: what is due when, and which leads wait for their first message. */
import type { ChannelType } from '../../channels/contract.ts';

/** Ids by due time: a binary heap of instants, since many ids share one. */
export class DueHeap {
  readonly #instants: number[] = [];
  readonly #ids = new Map<number, number[]>();

  get nextAt(): number | null {
    return this.#instants[0] ?? null;
  }

  add(at: number, id: number): void {
    const existing = this.#ids.get(at);
    if (existing) {
      existing.push(id);
      return;
    }
    this.#ids.set(at, [id]);
    const heap = this.#instants;
    let index = heap.length;
    heap.push(at);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above] ?? 0;
      if (parent <= at) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = at;
  }

  /** Remove and return every id due at `now`, each once, in the order of due times. */
  removeDue(now: number): readonly number[] {
    let due: number[] | null = null;
    for (let first = this.#instants[0]; first !== undefined && first <= now; first = this.#instants[0]) {
      const ids = this.#ids.get(first) ?? [];
      this.#ids.delete(first);
      this.#dropFirst();
      due = due === null ? ids : due.concat(ids);
    }
    if (due === null) return [];
    return due.length === 1 ? due : [...new Set(due)];
  }

  #dropFirst(): void {
    const heap = this.#instants;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      const left = heap[child];
      const right = heap[child + 1];
      if (left === undefined) break;
      const smaller = right !== undefined && right < left ? right : left;
      if (smaller === right) child++;
      if (last <= smaller) break;
      heap[index] = smaller;
      index = child;
    }
    heap[index] = last;
  }
}

interface QueuedLead {
  readonly type: ChannelType;
  readonly dueAt: number;
  readonly id: number;
}

/** Leads that wait for their first message, by messenger, in the order in which they fell due. */
export class FirstMessageQueue {
  readonly #byType: Record<ChannelType, QueuedLead[]> = { telegram: [], whatsapp: [] };
  readonly #byId = new Map<number, QueuedLead>();

  /** Add a lead, or move it if it has another place. */
  add(lead: QueuedLead): void {
    const existing = this.#byId.get(lead.id);
    if (existing?.type === lead.type && existing.dueAt === lead.dueAt) return;
    this.remove(lead.id);
    this.#byId.set(lead.id, lead);
    this.#byType[lead.type].splice(this.#placeOf(lead), 0, lead);
  }

  remove(id: number): void {
    const lead = this.#byId.get(id);
    if (!lead) return;
    this.#byId.delete(id);
    this.#byType[lead.type].splice(this.#placeOf(lead), 1);
  }

  /** Return the first leads of each messenger. */
  head(length: number): number[] {
    const { telegram, whatsapp } = this.#byType;
    return [...telegram.slice(0, length), ...whatsapp.slice(0, length)].map(({ id }) => id);
  }

  #placeOf({ type, dueAt, id }: QueuedLead): number {
    const waiting = this.#byType[type];
    let low = 0;
    let high = waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const one = waiting[middle];
      if (one && (one.dueAt < dueAt || (one.dueAt === dueAt && one.id < id))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
