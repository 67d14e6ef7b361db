import type { Principal, UserPrincipal } from '../access/principal.js';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { type AuthenticatedRequest, recheckOf } from '../access/caller.js';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import {
  ForbiddenError,
  RateLimitedError,
  UnauthenticatedError,
  UnavailableError,
} from '../errors/domain-error.js';
import { Drain } from '../http/drain.js';
import { ConcurrencyCounts } from '../http/concurrency-counts.js';
import { type LiveFeed, LiveStream, type OpenFeed } from './live-stream.js';

const RETRY_AFTER_SECONDS = 5;

/** All streams of server-sent events of this instance. */
@Injectable()
export class LiveStreams implements OnModuleDestroy {
  private readonly streams = new Set<Pick<LiveStream<unknown>, 'end'>>();
  private readonly ofUsers = new ConcurrencyCounts();

  constructor(
    private readonly drain: Drain,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    drain.onBegin(() => this.endAll());
  }

  onModuleDestroy(): void {
    this.endAll();
  }

  /**
   * Answers a person's request with a feed. It returns when the stream has begun: from then on no error reply is
   * possible.
   *
   * @param openFeed checks that the caller may read it; called only if there is room for one more stream
   * @throws RateLimitedError if the caller has the maximum number of streams already
   */
  async answer<Row>(response: Response, openFeed: () => Promise<LiveFeed<Row>>): Promise<void> {
    if (this.drain.isDraining)
      throw new UnavailableError('The service is shutting down', RETRY_AFTER_SECONDS);
    if (response.closed) return;
    const request = response.req as Request & AuthenticatedRequest;
    const recheck = recheckOf(request);
    this.takeSlot(userOf(request.principal).userId, response);
    const feed = await openFeed();
    // The caller may have disconnected while the feed was opened: `close` is emitted only once.
    if (response.closed) return feed.reader.leave();
    const stream = new LiveStream(response, feed, this.settings, () => mayRead(request, recheck, feed));
    this.streams.add(stream);
    response.once('close', () => this.streams.delete(stream));
    // Express answers HEAD with GET's handler, of which only the headers are needed.
    if (this.drain.isDraining || request.method === 'HEAD') stream.end('shutdown');
    stream
      .run()
      .catch((error: unknown) =>
        this.logger.error({ err: error, path: request.path }, 'a live stream failed'),
      );
  }

  /** The slot is released at the end of the response, however it ends. */
  private takeSlot(userId: string, response: Response): void {
    const count = this.ofUsers.of(userId);
    if (count >= this.settings.STREAMS_PER_USER) {
      throw new RateLimitedError(
        `You have ${count} live streams, the maximum: close one first`,
        RETRY_AFTER_SECONDS,
      );
    }
    this.ofUsers.add(userId);
    response.once('close', () => this.ofUsers.remove(userId));
  }

  private endAll(): void {
    for (const stream of this.streams) stream.end('shutdown');
  }
}

function userOf(principal: Principal | undefined): UserPrincipal {
  if (principal?.kind !== 'user') throw new Error('Live streams are for people');
  return principal;
}

/** Returns true if the caller's credential is valid now, and they are a member of all projects of the feed. */
async function mayRead(
  request: AuthenticatedRequest,
  recheck: () => Promise<void>,
  { projects }: OpenFeed<unknown>,
): Promise<boolean> {
  try {
    await recheck();
    const ids = await projects();
    const { memberships } = userOf(request.principal);
    return ids.every((id) => memberships.some(({ projectId }) => projectId === id));
  } catch (error) {
    if (error instanceof UnauthenticatedError || error instanceof ForbiddenError) return false;
    throw error;
  }
}
