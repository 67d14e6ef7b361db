import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunStory, WorkStory } from './evidence.js';
import { RUN_PATH, RUN_PROGRAM_PATH } from './replica-paths.js';

/** Output of a run's work when it is done. */
const DONE = '{"done": true}\n';

interface Work {
  readonly runId: string;
  readonly response: ServerResponse;
}

/** Observes the work of runs by its connections: each run is to make one request, and is done when it is answered. */
export class WorkWatch {
  private readonly runs = new Map<string, RunStory>();
  private readonly underWay = new Set<Work>();
  private readonly released = new Set<string>();

  /** @param now milliseconds since the scenario began */
  constructor(private readonly now: () => number) {}

  add(run: RunStory): void {
    this.runs.set(run.id, run);
  }

  /** Lets the work of a run be done. */
  release({ id }: RunStory): void {
    this.released.add(id);
    for (const { runId, response } of this.underWay) if (runId === id) response.end(DONE);
  }

  begin(request: IncomingMessage, response: ServerResponse, pathname: string): void {
    const [, path = '', runId = ''] = /^(.*\/)([^/]*)$/.exec(pathname) ?? [];
    const run = this.runs.get(runId);
    if (!run) {
      response.writeHead(404).end();
      return;
    }
    const story: WorkStory = {
      startedAt: this.now(),
      isProgram: path === RUN_PROGRAM_PATH,
      endedAt: null,
    };
    run.works.push(story);
    const work = { runId, response };
    this.underWay.add(work);
    response.on('close', () => {
      story.endedAt = this.now();
      this.underWay.delete(work);
    });
    request.on('error', () => undefined).resume();
    response.writeHead(200, { 'Content-Type': 'application/json' });
    if (this.released.has(runId)) response.end(DONE);
    else response.flushHeaders();
  }
}

/** Returns true if the path is one of the work of a run. */
export function isPathOfWork(pathname: string): boolean {
  return pathname.startsWith(RUN_PATH) || pathname.startsWith(RUN_PROGRAM_PATH);
}
