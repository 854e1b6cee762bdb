/** The queues of the rehearsal: what is due when, and which leads wait for their first message. */
import type { ChannelType } from '../channels/contract.ts';

/** A binary heap of lead ids by due time. */
export class DueHeap {
  readonly #heap: { at: number; id: number }[] = [];

  get nextAt(): number | null {
    return this.#heap[0]?.at ?? null;
  }

  add(at: number, id: number): void {
    const heap = this.#heap;
    const one = { at, id };
    let index = heap.length;
    heap.push(one);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (!parent || parent.at <= at) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = one;
  }

  /** Remove and return every lead due at `now`, each once. */
  removeDue(now: number): number[] {
    const due = new Set<number>();
    for (let first = this.#heap[0]; first && first.at <= now; first = this.#heap[0]) {
      due.add(first.id);
      this.#dropFirst();
    }
    return [...due];
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      const leftChild = heap[child];
      const right = heap[child + 1];
      if (!leftChild) break;
      const smaller = right && right.at < leftChild.at ? right : leftChild;
      if (smaller === right) child++;
      if (last.at <= smaller.at) break;
      heap[index] = smaller;
      index = child;
    }
    heap[index] = last;
  }
}

/** Leads that wait for their first message, by messenger, in the order in which they fell due. */
export class FirstMessageQueue {
  readonly #of: Record<ChannelType, { dueAt: number; id: number }[]> = { telegram: [], whatsapp: [] };
  readonly #in = new Set<number>();

  add(type: ChannelType, dueAt: number, id: number): void {
    if (this.#in.has(id)) return;
    this.#in.add(id);
    const waiting = this.#of[type];
    let low = 0;
    let high = waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const one = waiting[middle];
      if (one && (one.dueAt < dueAt || (one.dueAt === dueAt && one.id < id))) low = middle + 1;
      else high = middle;
    }
    waiting.splice(low, 0, { dueAt, id });
  }

  remove(id: number): void {
    if (!this.#in.delete(id)) return;
    for (const waiting of Object.values(this.#of)) {
      const index = waiting.findIndex((one) => one.id === id);
      if (index !== -1) waiting.splice(index, 1);
    }
  }

  head(length: number): number[] {
    return Object.values(this.#of).flatMap((waiting) => waiting.slice(0, length).map((one) => one.id));
  }
}
