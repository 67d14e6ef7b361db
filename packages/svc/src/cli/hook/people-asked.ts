import { basename } from 'node:path';
import { type Approval, type ServiceClient, unwrap } from '@agent-control-plane/client';
import { backoffMs } from '@agent-control-plane/client/internal/backoff';
import { pause } from '@agent-control-plane/client/internal/pause';
import { passingPauseMs } from '../passing-failure.js';
import type { ToolCall } from './tool-call.js';
import type { Risk } from './tool-risks.js';

/** A question of a coding agent, as the service takes it. */
export interface HookQuestion {
  readonly call: ToolCall;
  readonly risk: Risk | undefined;
  /** The run that the coding agent works on. */
  readonly runId: string | undefined;
}

/** Time for which an outage of the service is waited for before the question is asked. After that, it stands. */
const PATIENCE_MS = 30_000;
/** Seconds of a request that waits. */
const TURN_SECONDS = 20;
/** Minimum time between two of them: a service that stops answers at once. */
const SHORTEST_TURN_MS = 1_000;
/** Time for the service to end a question whose time is over. */
const GRACE_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

const DECISIONS = ['approve', 'edit', 'reject', 'respond'] as const satisfies Approval['allowed_decisions'];
/** Characters of a title. */
const MAXIMUM_TITLE = 200;
/** Characters that can't be seen: the service takes no title with them. */
const UNSEEN = /[\p{C}\p{DI}\p{Zl}\p{Zp}]/gu;

/** Asks people about a call of a tool, and waits for the decision, within one time for all of it. */
export class PeopleAsked {
  /** @param end when people have had their time, by `performance.now()` */
  constructor(
    private readonly service: ServiceClient,
    private readonly end: number,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Asks, or finds the earlier question about the same call: a hook that was killed asks nothing twice.
   *
   * @throws ServiceError, UnreachableError
   */
  ask(question: HookQuestion): Promise<Approval> {
    const until = Math.min(this.end, performance.now() + PATIENCE_MS);
    return this.persistently(until, () => {
      const body = { ...asked(question), expires_in_seconds: Math.max(1, Math.ceil(this.leftMs / 1_000)) };
      return unwrap(this.service.POST('/agents/approvals', { body, signal: this.signal }));
    });
  }

  /**
   * Waits for the decision, through outages of the service. One that was made before is fetched, too: the run goes on then.
   *
   * @returns the approval; it is `pending` if it is not decided in time
   * @throws ServiceError, UnreachableError
   */
  async decision(id: string): Promise<Approval> {
    const until = this.end + GRACE_MS;
    for (;;) {
      const begun = performance.now();
      const approval = await this.persistently(until, () => {
        const wait = Math.max(0, Math.min(TURN_SECONDS, Math.ceil(this.leftMs / 1_000)));
        const params = { path: { approval_id: id }, query: { wait } };
        return unwrap(this.service.GET('/agents/approvals/{approval_id}', { params, signal: this.signal }));
      });
      if (approval.state !== 'pending' || performance.now() >= until) return approval;
      await pause(SHORTEST_TURN_MS - (performance.now() - begun), this.signal);
      this.signal.throwIfAborted();
    }
  }

  private get leftMs(): number {
    return this.end - performance.now();
  }

  /** Calls, and repeats what fails in passing. @throws the failure that does not pass, or not in time */
  private async persistently<Reply>(until: number, call: () => Promise<Reply>): Promise<Reply> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await call();
      } catch (error) {
        this.signal.throwIfAborted();
        const pauseMs = backoffMs(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS, passingPauseMs(error));
        if (performance.now() + pauseMs > until) throw error;
        await pause(pauseMs, this.signal);
        this.signal.throwIfAborted();
      }
    }
  }
}

/** The question without its time. Title and description go to chats, so nothing of the input is in them. */
function asked({ call, risk, runId }: HookQuestion) {
  const { tool, input, id, folder = '', session = '' } = call;
  const place = basename(visible(folder));
  return {
    approval_key: id,
    run_id: runId,
    title: [tool, ...(place === '' ? [] : ['in', place])].join(' ').slice(0, MAXIMUM_TITLE),
    description: visible(
      [
        'A coding agent is about to use this tool',
        ...(folder === '' ? [] : [`in ${folder}`]),
        ...(session === '' ? [] : [`(session ${session})`]),
      ].join(' '),
    ),
    action: { name: tool, args: input },
    risk,
    allowed_decisions: [...DECISIONS],
  };
}

function visible(text: string): string {
  return text.replaceAll(UNSEEN, '').trim();
}
