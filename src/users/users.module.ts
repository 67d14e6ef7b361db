import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { Database } from '../database/database.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  controllers: [UsersController],
  providers: [UsersRepository, UsersService],
  exports: [UsersService],
})
export class UsersModule implements OnApplicationBootstrap {
  constructor(
    private readonly users: UsersService,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** In the background: the service listens before its database is there. */
  onApplicationBootstrap(): void {
    void this.promoteListedOperators();
  }

  private async promoteListedOperators(): Promise<void> {
    try {
      await this.database.whenOpen();
      // Closed before it ever opened.
      if (!this.database.wasOpened) return;
      await this.users.promoteListedOperators();
    } catch (error) {
      this.logger.error({ err: error }, 'ADMIN_EMAILS could not be applied to the accounts that exist');
    }
  }
}
