import { Injectable } from '@nestjs/common';
import { deletion } from '../../database/periodic-job.js';
import { PeriodicJobs } from '../../database/periodic-jobs.js';
import { PasswordLinksRepository } from '../password-links/password-links.repository.js';
import { SessionsRepository } from './sessions.repository.js';

const INTERVAL_MS = 3_600_000;

/** Deletes sessions and one-time links that have expired. Ended sessions and used links are deleted at once. */
@Injectable()
export class SessionRetention {
  constructor(jobs: PeriodicJobs, sessions: SessionsRepository, links: PasswordLinksRepository) {
    jobs.add('sessionRetention', {
      intervalMs: INTERVAL_MS,
      tasks: () => [
        deletion('expired sessions', (connection, limit) => sessions.deleteExpired(connection, limit)),
        deletion('expired password links', (connection, limit) => links.deleteExpired(connection, limit)),
      ],
    });
  }
}
