import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { errorBody } from './error-body.js';
import { requestIdOf } from './request-id.js';
import { retryAfterSeconds } from './retry-after.js';

interface Lane {
  /** As it is logged. */
  readonly name: string;
  /** Of the method and the path. */
  readonly pattern: RegExp;
  /** What of the limit is this lane's. */
  readonly share: number;
}

/**
 * Each kind of work has a lane of its own, so none waits behind another: an agent's sign of life not behind a flood of
 * logs, and nobody behind a storm of logins, each of which takes a tenth of a second of one core. The first that
 * matches counts.
 */
const LANES: readonly Lane[] = [
  { name: 'heartbeats', pattern: /^POST \/agents\/(heartbeat|commands\/acknowledge)$/, share: 1 },
  { name: 'telemetry and starts', pattern: /^POST \/agents\/(register|logs|metrics)$/, share: 1 },
  { name: 'accounts', pattern: /^POST \/auth\//, share: 0.25 },
  { name: 'everything else', pattern: /^/, share: 1 },
];
/** Whether the service lives is asked most urgently when it is overloaded. */
const ALWAYS_ADMITTED = /^[A-Z]+ \/(health|ready)?$/;
/** What waits for something to happen is no work while it waits: it fills no lane, and is turned away when one is full. */
const LONG_LIVED = /^GET (\/agents\/commands|\/.+\/stream)$/;

/** A flood is told of in the log this often at most; milliseconds. */
const TELL_EVERY_MS = 10_000;

/**
 * Turns away at once what can't be done in good time. Without it an overloaded service lets requests pile up until
 * their callers give up on them, and then works for nobody.
 *
 * @param maximum requests under way at once in a lane
 */
export function admission(maximum: number, logger: Logger): RequestHandler {
  const lanes = LANES.map((lane) => ({
    ...lane,
    limit: Math.ceil(maximum * lane.share),
    working: 0,
    refused: 0,
    toldAt: -Infinity,
  }));
  const tell = (lane: (typeof lanes)[number]) => {
    lane.refused++;
    const now = performance.now();
    if (now - lane.toldAt < TELL_EVERY_MS) return;
    logger.warn({ lane: lane.name, limit: lane.limit, refused: lane.refused }, 'too many requests at once');
    Object.assign(lane, { toldAt: now, refused: 0 });
  };
  return (request: Request, response: Response, next: NextFunction) => {
    const route = `${request.method} ${request.path}`;
    if (ALWAYS_ADMITTED.test(route)) return next();
    const lane = lanes.find(({ pattern }) => pattern.test(route))!;
    if (lane.working >= lane.limit) {
      tell(lane);
      turnAway(response);
      return;
    }
    if (!LONG_LIVED.test(route)) {
      lane.working++;
      // Comes once for every response, whether it was sent or its caller has gone.
      response.once('close', () => lane.working--);
    }
    next();
  };
}

/** As cheap as an answer can be: not parsed, not routed, not logged one by one. */
function turnAway(response: Response): void {
  const body = JSON.stringify(
    errorBody(503, 'The service has too much to do at the moment', requestIdOf(response)),
  );
  response.writeHead(503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Retry-After': String(retryAfterSeconds()),
  });
  response.end(body);
}
