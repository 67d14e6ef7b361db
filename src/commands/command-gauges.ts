import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import type { CommandBacklog } from './command.types.js';
import { CommandsRepository } from './commands.repository.js';

/** States of an unsettled command. Each gets a value, even if there is no such command. */
const OPEN_STATES = ['pending', 'leased'] as const;

const NONE: Omit<CommandBacklog, 'state'> = { count: 0, oldestSeconds: 0, onlineSeconds: null };

/** Gauges of the unacknowledged commands of all agents. */
@Injectable()
export class CommandGauges {
  constructor(metrics: ServiceMetrics, commands: CommandsRepository, database: Database) {
    metrics.addFleetGauges(
      {
        control_plane_commands: 'Commands of the fleet that are not settled, by state',
        control_plane_command_oldest_seconds: 'Age of the oldest command that is not settled',
        control_plane_command_online_seconds:
          'The longest time for which a command has waited while its agent was online',
      },
      async () => {
        const found = await commands.backlog(database.background.manager);
        const byState = (valueOf: (of: Omit<CommandBacklog, 'state'>) => number) =>
          OPEN_STATES.map((state) => ({
            labels: { state },
            value: valueOf(found.find((each) => each.state === state) ?? NONE),
          }));
        return {
          control_plane_commands: byState(({ count }) => count),
          control_plane_command_oldest_seconds: byState(({ oldestSeconds }) => oldestSeconds),
          control_plane_command_online_seconds: byState(({ onlineSeconds }) => onlineSeconds ?? 0),
        };
      },
      ['state'],
    );
  }
}
