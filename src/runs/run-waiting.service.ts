import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import type { WaitingCaller } from '../access/waiting-caller.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ConcurrencyCounts } from '../http/concurrency-counts.js';
import { Drain } from '../http/drain.js';
import { type Look, LongPolls } from '../http/long-polls.js';
import { isOpen } from '../lifecycle/run-lifecycle.js';
import { RunExplanationService } from './run-explanation.service.js';
import { RunQueueService } from './run-queue.service.js';
import { RunReadingService } from './run-reading.service.js';
import type { RunEntity } from './run.entity.js';
import { type RunResponse, toRunResponse } from './run.response.js';

/** Maximum number of people's requests that wait for the end of one run. */
const MAXIMUM_OF_A_RUN = 32;
/** Maximum number of requests of one caller that wait; one more is answered at once. */
const MAXIMUM_OF_A_CALLER = 100;

/** Waits for the ends of runs, on whichever instance they are reported. */
@Injectable()
export class RunWaitingService {
  private readonly polls: LongPolls<RunEntity>;
  private readonly ofCallers = new ConcurrencyCounts();

  constructor(
    private readonly reading: RunReadingService,
    private readonly explanations: RunExplanationService,
    queue: RunQueueService,
    drain: Drain,
  ) {
    this.polls = new LongPolls(drain, MAXIMUM_OF_A_RUN);
    queue.onEnd((runId) => this.polls.wake(runId));
    queue.onMissedChanges(() => this.polls.wakeAll());
  }

  /**
   * The run once it has ended, or as it is when the time is over.
   *
   * @param seconds maximum time to wait; 0: it is read once
   * @throws NotFoundError if the caller sees no such run
   */
  async settled(
    caller: UserPrincipal,
    runId: string,
    seconds: number,
    waiting: WaitingCaller,
  ): Promise<RunEntity> {
    const run = await this.reading.read(caller, runId);
    if (seconds > 0 && isOpen(run) && this.ofCallers.of(caller.userId) < MAXIMUM_OF_A_CALLER) {
      this.ofCallers.add(caller.userId);
      try {
        await this.polls.wait(runId, seconds * 1_000, waiting, () => this.look(runId));
      } finally {
        this.ofCallers.remove(caller.userId);
      }
      return this.explanations.explained(await this.reading.read(caller, runId));
    }
    return this.explanations.explained(run);
  }

  /**
   * The end of a run that was just made, which makes the reply a 200; else the run as it is.
   *
   * @param made as the request that made it was answered
   */
  async endOf(
    caller: UserPrincipal,
    made: RunResponse,
    seconds: number,
    waiting: WaitingCaller,
  ): Promise<RunResponse> {
    if (seconds === 0) return made;
    const run = await this.settled(caller, made.id, seconds, waiting);
    if (!isOpen(run)) waiting.reply.statusCode = 200;
    return toRunResponse(run);
  }

  private async look(runId: string): Promise<Look<RunEntity>> {
    const run = await this.reading.find(runId);
    if (!run) throw new NotFoundError('Run');
    return { found: isOpen(run) ? null : run, nextDueMs: null };
  }
}
