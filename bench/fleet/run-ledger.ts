import type { Recorder } from './recorder.js';

/** A run in the reply of `POST /agents/runs/claim`. */
export interface ClaimedRun {
  readonly run_id: string;
  readonly attempt: number;
}

/** All that both sides saw of one run. */
export interface RunTrace {
  /** Null: an agent has it, and the person's reply has not come yet. */
  askedOf: string | null;
  /** Milliseconds since 1970. */
  askedAt: number;
  /** The agent that got it in a reply that arrived. */
  agentId: string | null;
  takenAt: number | null;
  /** The end that its agent reports. */
  end: string | null;
  /** True after a report of the end was answered with 200. */
  isAnswered: boolean;
}

/**
 * Runs as people and agents saw them. An agent begins what a claim gives it without looking back, so this shows whether the
 * service gave each run once.
 */
export class RunLedger {
  readonly traces = new Map<string, RunTrace>();

  constructor(private readonly recorder: Recorder) {}

  asked(runId: string, agentId: string, askedAt: number): void {
    Object.assign(this.trace(runId), { askedOf: agentId, askedAt });
  }

  taken(agentId: string, { run_id: runId, attempt }: ClaimedRun): void {
    const trace = this.trace(runId);
    if (trace.takenAt !== null)
      this.recorder.violated('a run was given twice', `${runId}, attempt ${attempt}`);
    trace.agentId = agentId;
    trace.takenAt = Date.now();
  }

  ended(runId: string, end: string): void {
    this.trace(runId).end = end;
  }

  /** @param status as the service stores it */
  answered(runId: string, status: string | null): void {
    const trace = this.trace(runId);
    trace.isAnswered = true;
    if (status !== trace.end)
      this.recorder.violated(
        'a real end did not count',
        `${runId} ended ${trace.end}, the service says ${status}`,
      );
  }

  private trace(runId: string): RunTrace {
    let trace = this.traces.get(runId);
    if (!trace) {
      trace = { askedOf: null, askedAt: 0, agentId: null, takenAt: null, end: null, isAnswered: false };
      this.traces.set(runId, trace);
    }
    return trace;
  }
}
