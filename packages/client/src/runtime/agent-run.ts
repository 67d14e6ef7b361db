import type { LogEntry } from '../models.js';
import type { ApprovalDecision, ApprovalQuestion } from './approval-decision.js';
import type { EndedSpan, SpanKind } from './otlp-span.js';
import { type LlmCall, RunSpans } from './run-spans.js';

/** The progress of a run, for people. */
export interface RunProgress {
  /** 0 to 100. */
  readonly percent?: number;
  readonly message?: string;
}

/** The content of a run, as the service gave it or the program made it. */
export interface RunFacts {
  /** Any JSON value; null: nothing was given. */
  readonly input: unknown;
  readonly name: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly conversationId: string | null;
  /** Counts the attempts, from 1. */
  readonly attempt: number;
  /** How long this attempt may take; null: any time. */
  readonly timeoutSeconds: number | null;
  /** The deployment that does the work; null: unknown. */
  readonly deploymentId: string | null;
  /** The version of the config that the deployment was made with. */
  readonly configVersion: number | null;
  /** W3C trace context for the spans of the run; null for one of the agent's own. */
  readonly traceparent: string | null;
}

/** The outlet of a run's progress, waits, log lines and spans. */
export interface RunVoice {
  readonly id: string | null;
  readonly signal: AbortSignal;
  progress(progress: RunProgress): void;
  wait(reason: string): void;
  resume(): void;
  log(entry: LogEntry): void;
  span(span: EndedSpan): void;
  approve<Args>(question: ApprovalQuestion<Args>): Promise<ApprovalDecision<Args>>;
}

/** One piece of work, in the hands of the function that does it. */
export class AgentRun implements RunFacts {
  readonly input: unknown;
  readonly name: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly conversationId: string | null;
  readonly attempt: number;
  readonly timeoutSeconds: number | null;
  readonly deploymentId: string | null;
  readonly configVersion: number | null;
  readonly traceparent: string | null;
  private readonly spans: RunSpans;

  constructor(
    facts: RunFacts,
    private readonly voice: RunVoice,
  ) {
    this.input = facts.input;
    this.name = facts.name;
    this.labels = facts.labels;
    this.conversationId = facts.conversationId;
    this.attempt = facts.attempt;
    this.timeoutSeconds = facts.timeoutSeconds;
    this.deploymentId = facts.deploymentId;
    this.configVersion = facts.configVersion;
    this.traceparent = facts.traceparent;
    const common = { 'gen_ai.conversation.id': facts.conversationId ?? undefined };
    this.spans = new RunSpans(facts.traceparent, common, (span) => voice.span(span));
  }

  /** The run's id; null only while the service has not answered yet that it knows a run of the agent's own. */
  get id(): string | null {
    return this.voice.id;
  }

  /**
   * Aborted with a `RunInterruptedError` when the work is to end early: a person has cancelled it, its time is over, its
   * deployment was stopped, or the runtime stops. A function that returns all the same has succeeded.
   */
  get signal(): AbortSignal {
    return this.voice.signal;
  }

  /** Says how far the work is. Never waits, never fails. */
  progress(progress: RunProgress): void {
    this.voice.progress(progress);
  }

  /** Says that the work waits for a person, such as for an approval. Never waits, never fails. */
  wait(reason: string): void {
    this.voice.wait(reason);
  }

  /** Says that the work continues. Never waits, never fails. */
  resume(): void {
    this.voice.resume();
  }

  /**
   * Asks people before an action, and waits for their decision, through outages and restarts of the service. The run counts as
   * waiting meanwhile.
   *
   * @throws TypeError if the arguments are no JSON; ServiceError if the service refuses the question
   * @throws ArgumentsChangedError if the arguments were changed while it waited
   * @throws RunInterruptedError if the run is to end early; nobody is asked any more then
   */
  approve<Args>(question: ApprovalQuestion<Args>): Promise<ApprovalDecision<Args>> {
    return this.voice.approve(question);
  }

  /**
   * Adds a log line that names the run and, within a span of it, the span. Never waits, never fails.
   */
  log(entry: string | LogEntry): void {
    const given = typeof entry === 'string' ? { level: 'info' as const, message: entry } : entry;
    const span = this.spans.current;
    if (!span) return this.voice.log(given);
    const metadata = { trace_id: span.traceId, span_id: span.spanId, ...given.metadata };
    this.voice.log({ ...given, metadata });
  }

  /**
   * Calls the function in a span of the run's trace. Spans that begin within the call are its children.
   *
   * @throws what the function throws; the span has failed then
   */
  span<Result>(name: string, kind: SpanKind, work: () => Result | Promise<Result>): Promise<Result> {
    return this.spans.within(name, kind, {}, work);
  }

  /**
   * Calls a tool, which is the function, with these arguments, in a span of its own. Arguments and result are sent, because the
   * service recognises loops by them; by default it keeps no more than a digest.
   *
   * @throws what the function throws; the span has failed then
   */
  tool<Args, Result>(
    name: string,
    args: Args,
    work: (args: Args) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.spans.tool(name, args, work);
  }

  /**
   * Says that a model was called, and what that used. Within a span of the kind `llm` or `embedding` it is that span's call; else it
   * is a span of its own. Never waits, never fails.
   */
  llm(call: LlmCall): void {
    this.spans.llm(call);
  }
}

/** A run that the service has given. */
export type ClaimedRun = AgentRun & { readonly id: string };

/** Does the work of a run. @returns the output: any JSON value, of at most 256 KiB */
export type RunHandler = (run: ClaimedRun) => Promise<unknown>;
