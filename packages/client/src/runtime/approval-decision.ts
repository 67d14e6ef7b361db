import type { components } from '../generated/schema.js';
import { frozenJson } from './canonical-json.js';

export type Approval = components['schemas']['ApprovalResponse'];
/** The state of a question that is open no more. */
export type DecidedState = Exclude<Approval['state'], 'pending'>;

/** A question that an agent asks people before it acts. */
export interface ApprovalQuestion<Args = unknown> {
  /** One line for people, of up to 200 characters. */
  readonly title: string;
  readonly description?: string;
  /** The action that is to be run. `args` is any JSON of up to 32 KiB, and is shown as it is. */
  readonly action: { readonly name: string; readonly args?: Args };
  /** Default: `medium`. */
  readonly risk?: Approval['risk'];
  /** Default: `approve` and `reject`. With `edit` the `args` of the decision may be others than those that were asked. */
  readonly allowedDecisions?: readonly Approval['allowed_decisions'][number][];
  /** How long people have to decide. Default: a day. */
  readonly expiresInSeconds?: number;
  /**
   * The agent's own word for the question, such as the id of a tool call: the same one gets the same decision, whenever it is asked.
   * Default: a new one for each question, and after a restart that of the open question of the same run, action and arguments.
   */
  readonly key?: string;
  /** Takes the question back when it aborts. */
  readonly signal?: AbortSignal;
}

/** The action was not approved, so there are no arguments to run it with. */
export class NotApprovedError extends Error {
  override readonly name = 'NotApprovedError';

  constructor(
    readonly state: DecidedState,
    message: string,
  ) {
    super(message);
  }
}

/** The arguments are others than those that people have seen and approved. */
export class ArgumentsChangedError extends Error {
  override readonly name = 'ArgumentsChangedError';

  constructor(action: string) {
    super(`The arguments of ${action} are others than those that were approved: ask again with them`);
  }
}

/** The end of a question, with the arguments that may be run. */
export class ApprovalDecision<Args = unknown> {
  readonly approvalId: string;
  /**
   * `approved`, `edited` (approved with other arguments), `rejected`, `responded` (answered in words), `expired` (nobody decided in
   * time), or `withdrawn`.
   */
  readonly state: DecidedState;
  /** `user:<id>` or `key:<id>`; null: nobody has decided. */
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** The answer in words. */
  readonly response: string | null;
  private readonly actionName: string;

  /** @param approved the arguments that may be run, if it is approved */
  constructor(
    { approval_id, state, decided_by, reason, response, action }: Approval,
    private readonly approved: ReturnType<typeof frozenJson>,
  ) {
    this.approvalId = approval_id;
    this.state = state as DecidedState;
    this.decidedBy = decided_by;
    this.reason = reason;
    this.response = response;
    this.actionName = action.name;
  }

  /** True if the action may be run, with `args`. */
  get isApproved(): boolean {
    return this.state === 'approved' || this.state === 'edited';
  }

  /** The arguments that may be run: those that were asked or, if a person has edited them, the edited ones. @throws NotApprovedError */
  get args(): Args {
    if (!this.isApproved) throw new NotApprovedError(this.state, this.refusal());
    return this.approved.value as Args;
  }

  /**
   * Compares the arguments of a call with the approved ones.
   *
   * @throws NotApprovedError
   * @throws ArgumentsChangedError if people have approved other arguments
   */
  check(args: unknown): void {
    if (!this.isApproved) throw new NotApprovedError(this.state, this.refusal());
    if (frozenJson(args).sha256 !== this.approved.sha256) throw new ArgumentsChangedError(this.actionName);
  }

  private refusal(): string {
    const what = `${this.actionName} is ${this.state}${this.decidedBy === null ? '' : ` by ${this.decidedBy}`}`;
    const why = this.response ?? this.reason;
    if (this.state === 'expired') return `${what}: nobody has decided in time`;
    return why === null ? what : `${what}: ${why}`;
  }
}
