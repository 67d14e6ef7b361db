import type { Call, Route } from '../evidence.js';

/** A fault of a call. */
export type Fault =
  /** The call is carried out, and the connection is closed instead of a reply. */
  | { readonly kind: 'lost' }
  /** An error document of the service; the call is not carried out. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly retryAfterSeconds?: number;
      readonly message?: string;
    }
  /** A page, as proxies answer with. The call is not carried out. */
  | { readonly kind: 'page'; readonly status: number }
  /** 200, and JSON that ends in the middle. The call is not carried out. */
  | { readonly kind: 'cut' };

interface Planned {
  readonly route: Route;
  readonly fault: Fault;
  /** Restricts the fault to these calls. */
  readonly when: (call: Call) => boolean;
  /** Number of further calls with the fault. */
  left: number;
}

/** Planned faults: each plan applies to the next calls of its route, in the order of planning. */
export class FaultPlan {
  private readonly planned: Planned[] = [];

  /** @param times number of calls; Infinity until {@link clear} */
  befall(route: Route, fault: Fault, times = 1, when: (call: Call) => boolean = () => true): void {
    this.planned.push({ route, fault, when, left: times });
  }

  clear(): void {
    this.planned.length = 0;
  }

  /** Returns true if a planned fault has calls left. */
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
