import type { Call, Route } from '../evidence.js';

/** A fault of a call. */
export type Fault =
  /** It is carried out, and the connection cut instead of an answer. */
  | { readonly kind: 'lost' }
  /** An error of the service's, in its shape; nothing is carried out. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly retryAfterSeconds?: number;
      readonly message?: string;
    }
  /** A page, as proxies answer with. Nothing is carried out. */
  | { readonly kind: 'page'; readonly status: number }
  /** 200, and JSON that ends in the middle. Nothing is carried out. */
  | { readonly kind: 'cut' };

interface Planned {
  readonly route: Route;
  readonly fault: Fault;
  /** Only calls of which this is true. */
  readonly when: (call: Call) => boolean;
  /** How many calls it still befalls. */
  left: number;
}

/** Faults that are planned: each plan befalls the next calls to its route, in the order of planning. */
export class FaultPlan {
  private readonly planned: Planned[] = [];

  /** @param times how many calls; Infinity until {@link clear} */
  befall(route: Route, fault: Fault, times = 1, when: (call: Call) => boolean = () => true): void {
    this.planned.push({ route, fault, when, left: times });
  }

  clear(): void {
    this.planned.length = 0;
  }

  /** Returns true if a fault still waits for a call. */
  isPending(route: Route): boolean {
    return this.planned.some((plan) => plan.route === route && plan.left > 0);
  }

  take(call: Call): Fault | undefined {
    const plan = this.planned.find(({ route, left, when }) => route === call.route && left > 0 && when(call));
    if (!plan) return undefined;
    plan.left--;
    return plan.fault;
  }
}
