import { randomUUID } from 'node:crypto';
import type { components } from '../generated/schema.js';
import { unwrap } from '../service-client.js';
import {
  type Approval,
  ApprovalDecision,
  type ApprovalQuestion,
  ArgumentsChangedError,
} from './approval-decision.js';
import { Backoff } from './backoff.js';
import { type FrozenJson, frozenJson } from './canonical-json.js';
import { PollWait } from './poll-wait.js';
import { UnexpectedReplyError } from './runtime-errors.js';
import type { ServiceLink } from './service-link.js';

type Question = components['schemas']['AskApprovalRequest'];

/** Time after a poll's own wait without an answer, after which the connection counts as dead. */
const PATIENCE_MS = 15_000;
/** An answer within this time came without a wait. */
const EARLY_MS = 1_000;

/** The run for which a question is asked. */
export interface AskingRun {
  /** Resolves when the service has named the run. */
  readonly named: Promise<string>;
  /** Aborts when the run is to end early. */
  readonly signal: AbortSignal;
}

/** Asks people for the program, and waits for their decisions through outages of the service. */
export class Approvals {
  /** Open questions of an earlier process that nobody has asked again. Undefined until the first registration. */
  private earlier: Approval[] | undefined;

  /**
   * @param registered resolves when the agent has registered, or its work is over
   * @param working aborts when the runtime stops: open questions stay open, for the next process
   * @param sending aborts when no further request may be sent
   */
  constructor(
    private readonly link: ServiceLink,
    private readonly registered: Promise<void>,
    private readonly working: AbortSignal,
    private readonly sending: AbortSignal,
  ) {}

  /** Follows the reply to a registration. Later ones list the questions of this process. */
  follow(listed: readonly Approval[]): void {
    this.earlier ??= [...listed];
  }

  /**
   * @throws TypeError if the arguments are no JSON; ServiceError if the service refuses the question
   * @throws ArgumentsChangedError if the program has changed the arguments while it waited
   * @throws the signal's reason if the run is to end early, or the runtime stops
   */
  async ask<Args>(question: ApprovalQuestion<Args>, run?: AskingRun): Promise<ApprovalDecision<Args>> {
    const asked = frozenJson(question.action.args);
    const own = run?.signal ?? this.working;
    const signal = question.signal ? AbortSignal.any([own, question.signal]) : own;
    const [runId] = await unlessAborted(Promise.all([run?.named, this.registered]), signal);
    const body = this.bodyOf(question, asked, runId);
    try {
      const { id, args_sha256 } = await this.post(body, signal);
      const decided = await this.decided(id, signal);
      const hashes = [args_sha256, decided.args_sha256, frozenJson(question.action.args).sha256];
      if (hashes.some((hash) => hash !== asked.sha256)) throw new ArgumentsChangedError(question.action.name);
      const isEdited = decided.state === 'edited';
      return new ApprovalDecision(decided, isEdited ? frozenJson(decided.edited_args) : asked);
    } catch (error) {
      if (signal.aborted && !this.working.aborted) this.withdraw(body);
      throw error;
    }
  }

  private bodyOf(question: ApprovalQuestion, asked: FrozenJson, runId: string | undefined): Question {
    const { title, description, risk, allowedDecisions, expiresInSeconds, action } = question;
    return {
      approval_key: this.keyOf(question, asked, runId),
      run_id: runId,
      action: { name: action.name, args: asked.value as Question['action']['args'] },
      ...{ title, description, risk, expires_in_seconds: expiresInSeconds },
      allowed_decisions: allowedDecisions && [...allowedDecisions],
    };
  }

  /** The service gives the same approval for the same key, so a lost reply asks nothing twice. */
  private post(body: Question, signal: AbortSignal): Promise<Approval> {
    return this.link.retryTransient(
      async (service, ended) =>
        approvalIn(await unwrap(service.POST('/agents/approvals', { body, signal: ended }))),
      signal,
    );
  }

  /** An open question of an earlier process is asked again under its key. */
  private keyOf({ key, action }: ApprovalQuestion, asked: FrozenJson, runId: string | undefined): string {
    const same = this.earlier?.find(
      (each) =>
        (key === undefined || each.approval_key === key) &&
        each.run_id === (runId ?? null) &&
        each.action.name === action.name &&
        each.args_sha256 === asked.sha256,
    );
    this.earlier = this.earlier?.filter((each) => each !== same);
    return key ?? same?.approval_key ?? randomUUID();
  }

  private async decided(id: string, signal: AbortSignal): Promise<Approval> {
    const early = new Backoff(500, 5_000);
    const wait = new PollWait();
    for (;;) {
      const asked = performance.now();
      const approval = await this.link.retryTransient(
        async (service, ended) => {
          const began = performance.now();
          const params = { path: { approval_id: id }, query: { wait: wait.seconds } };
          const poll = unwrap(service.GET('/agents/approvals/{approval_id}', { params, signal: ended }));
          const reply = await poll.catch((error: unknown) => {
            wait.failed(error, performance.now() - began);
            throw error;
          });
          return approvalIn(reply);
        },
        signal,
        wait.seconds * 1_000 + PATIENCE_MS,
      );
      if (approval.state !== 'pending') return approval;
      // a service that is ending answers early; a pause avoids a tight loop
      if (performance.now() - asked < EARLY_MS) await this.link.pause(early.next(), signal);
      else early.reset();
    }
  }

  /** Takes a question back that nobody waits for any more, also one whose reply had not come. The end of a run does so as well. */
  private withdraw(body: Question): void {
    const withdrawal = async () => {
      const params = { path: { approval_id: (await this.post(body, this.sending)).id } };
      await this.link.retryTransient(
        (service, signal) =>
          unwrap(service.POST('/agents/approvals/{approval_id}/withdraw', { params, signal })),
        this.sending,
      );
    };
    // a refused question has been withdrawn, or belongs to a run that has ended
    withdrawal().catch(() => undefined);
  }
}

/** @throws UnexpectedReplyError */
function approvalIn(reply: Approval): Approval {
  if (typeof reply?.state !== 'string') throw new UnexpectedReplyError('The reply holds no approval');
  return reply;
}

/** @throws the signal's reason */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let end!: () => void;
  const aborted = new Promise<never>((_, reject) => (end = () => reject(signal.reason as Error)));
  signal.addEventListener('abort', end);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
