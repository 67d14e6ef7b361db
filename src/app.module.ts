import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { AgentRuntimeModule } from './agent-runtime/agent-runtime.module.js';
import { AgentsModule } from './agents/agents.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuditLogModule } from './audit-log/audit-log.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import type { DatabaseTarget } from './database/data-source-options.js';
import { DatabaseModule } from './database/database.module.js';
import type { DatabaseOptions } from './database/postgres-database.js';
import { DeploymentsModule } from './deployments/deployments.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { InboundReportsModule } from './inbound-reports/inbound-reports.module.js';
import { LeadsModule } from './leads/leads.module.js';
import { LiveModule } from './live/live.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MonitorModule } from './monitor/monitor.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { NewsletterModule } from './newsletter/newsletter.module.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { migrations } from './schema-migrations.js';
import { entities } from './schema.js';
import { ProjectsModule } from './projects/projects.module.js';
import { PausesModule } from './pauses/pauses.module.js';
import { BudgetsModule } from './budgets/budgets.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { RunsModule } from './runs/runs.module.js';
import { SealingModule } from './sealing/sealing.module.js';
import { SwitchesModule } from './switches/switches.module.js';
import { telemetryEntities, telemetryMigrations } from './telemetry-schema.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';
import { TracesModule } from './traces/traces.module.js';
import { UsageModule } from './usage/usage.module.js';
import { UsersModule } from './users/users.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

export interface AppOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Finds PostgreSQL, and starts it if it is the embedded one. */
  readonly locateDatabase: () => Promise<DatabaseTarget>;
}

/** The composition root: the only module that imports all others. */
@Module({})
export class AppModule {
  static forRoot(options: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(options.settings, options.logger),
        DatabaseModule.forRoot(mainDatabase(options), telemetryDatabase(options)),
        HttpModule,
        SealingModule,
        // Express tries the routes in this order and takes the first that matches: those that are called most come first, and
        // GET /agents/commands comes before GET /agents/:agent_id.
        HealthModule,
        AgentRuntimeModule,
        RunsModule,
        PausesModule,
        AuditLogModule,
        IdempotencyModule,
        LiveModule,
        ObservabilityModule,
        AuthModule,
        // Behind the guards of AuthModule, which say who calls.
        SwitchesModule,
        UsersModule,
        ProjectsModule,
        ApiKeysModule,
        TelemetryModule,
        TracesModule,
        UsageModule,
        BudgetsModule,
        ApprovalsModule,
        AgentsModule,
        DeploymentsModule,
        InboundReportsModule,
        MonitorModule,
        OverviewModule,
        NewsletterModule,
        LeadsModule,
        McpModule,
        WebhooksModule,
      ],
    };
  }
}

function mainDatabase({ settings, logger, locateDatabase }: AppOptions): DatabaseOptions {
  return {
    locate: locateDatabase,
    log: (message) => logger.warn(message),
    poolSize: settings.DATABASE_POOL_SIZE,
    searchTimeoutMs: settings.COSTLY_READ_TIMEOUT_SECONDS * 1_000,
    servesApi: settings.ROLES.includes('api'),
    lockTimeoutMs: settings.DATABASE_LOCK_TIMEOUT_SECONDS * 1_000,
    requestsInFlight: settings.MAX_REQUESTS_IN_FLIGHT,
    entities,
    migrations,
  };
}

/** Undefined: telemetry is in the main database. */
function telemetryDatabase(options: AppOptions): DatabaseOptions | undefined {
  const url = options.settings.TELEMETRY_DATABASE_URL;
  if (url === '') return undefined;
  return {
    ...mainDatabase(options),
    isApart: true,
    servesApi: false,
    locate: () => Promise.resolve({ url }),
    entities: telemetryEntities,
    migrations: telemetryMigrations,
  };
}
