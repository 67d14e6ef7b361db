import { AgentConfigEntity } from './agents/agent-config.entity.js';
import { AgentPresenceEntity } from './agents/agent-presence.entity.js';
import { AgentsOnlineEntity } from './agents/agents-online.entity.js';
import { AgentSearchEntity } from './agents/agent-search.entity.js';
import { AgentEntity } from './agents/agent.entity.js';
import { ServiceDeafnessEntity } from './agents/service-deafness.entity.js';
import { ApprovalEntity } from './approvals/approval.entity.js';
import { AuditLinkEntity } from './audit-log/audit-link.entity.js';
import { AuditEntryEntity } from './audit-log/audit-entry.entity.js';
import { FactorChallengeEntity } from './auth/second-factor/factor-challenge.entity.js';
import { RecoveryCodeEntity } from './auth/second-factor/recovery-code.entity.js';
import { SecondFactorEntity } from './auth/second-factor/second-factor.entity.js';
import { PasswordLinkEntity } from './auth/password-links/password-link.entity.js';
import { SessionEntity } from './auth/sessions/session.entity.js';
import { IdentityEntity } from './auth/sso/identity.entity.js';
import { BudgetEntity, BudgetRunEntity } from './budgets/budget.entity.js';
import { FormerAgentEntity } from './budgets/former-agent.entity.js';
import { CommandEntity } from './commands/command.entity.js';
import { ApiKeyEntity } from './api-keys/api-key.entity.js';
import { DeploymentEventEntity } from './deployments/deployment-event.entity.js';
import { DeploymentEntity } from './deployments/deployment.entity.js';
import { ProjectEventCounterEntity } from './deployments/project-event-counter.entity.js';
import { IdempotencyRecordEntity } from './idempotency/idempotency-record.entity.js';
import { LeadEntity } from './leads/lead.entity.js';
import { NewsletterSizeEntity } from './newsletter/newsletter-size.entity.js';
import { NewsletterSubscriberEntity } from './newsletter/newsletter-subscriber.entity.js';
import { AgentPauseEntity } from './pauses/agent-pause.entity.js';
import { PauseEntity } from './pauses/pause.entity.js';
import { ProjectGroupEntity } from './projects/project-group.entity.js';
import { ProjectMemberEntity } from './projects/project-member.entity.js';
import { ProjectEntity } from './projects/project.entity.js';
import { ProjectLimitEntity } from './quotas/project-limit.entity.js';
import { QuotaUseEntity } from './quotas/quota-use.entity.js';
import { RunEventEntity } from './runs/run-event.entity.js';
import { DailyRunTimeEntity, HourlyRunTimeEntity } from './runs/run-time.entity.js';
import { RunEntity } from './runs/run.entity.js';
import { ScheduleEntity } from './runs/schedules/schedule.entity.js';
import { SealingKeyEntity } from './sealing/sealing-key.entity.js';
import { SwitchEntity } from './switches/switch.entity.js';
import { UsageSeriesEntity } from './telemetry/usage-series.entity.js';
import { sharedEntities } from './telemetry-schema.js';
import { CountedUsageEntity } from './traces/counted-usage.entity.js';
import { ToolCallEntity } from './traces/tool-call.entity.js';
import { UsageChoiceEntity } from './agents/usage-choice.entity.js';
import { ModelPriceEntity } from './usage/model-price.entity.js';
import {
  DailyUsageEntity,
  HourlyUsageEntity,
  ProjectUsageEntity,
  RunUsageEntity,
  UsageSourceEntity,
  WeeklyUsageEntity,
} from './usage/usage.entity.js';
import { UserEntity } from './users/user.entity.js';
import { WebhookDeliveryEntity } from './webhooks/webhook-delivery.entity.js';
import { WebhookEntity } from './webhooks/webhook.entity.js';

/** Part of the composition root: every table's entity. */
export const entities = [
  ...sharedEntities,
  AgentConfigEntity,
  AgentEntity,
  AgentPauseEntity,
  AgentPresenceEntity,
  AgentSearchEntity,
  AgentsOnlineEntity,
  ApiKeyEntity,
  ApprovalEntity,
  AuditEntryEntity,
  AuditLinkEntity,
  BudgetEntity,
  BudgetRunEntity,
  FormerAgentEntity,
  CommandEntity,
  CountedUsageEntity,
  DailyRunTimeEntity,
  DailyUsageEntity,
  DeploymentEntity,
  DeploymentEventEntity,
  FactorChallengeEntity,
  HourlyRunTimeEntity,
  HourlyUsageEntity,
  IdempotencyRecordEntity,
  IdentityEntity,
  LeadEntity,
  ModelPriceEntity,
  NewsletterSizeEntity,
  NewsletterSubscriberEntity,
  PasswordLinkEntity,
  PauseEntity,
  ProjectEntity,
  ProjectEventCounterEntity,
  ProjectGroupEntity,
  ProjectMemberEntity,
  ProjectUsageEntity,
  ProjectLimitEntity,
  QuotaUseEntity,
  RecoveryCodeEntity,
  RunEntity,
  RunEventEntity,
  RunUsageEntity,
  ScheduleEntity,
  SealingKeyEntity,
  SwitchEntity,
  SecondFactorEntity,
  ServiceDeafnessEntity,
  SessionEntity,
  ToolCallEntity,
  UsageChoiceEntity,
  UsageSeriesEntity,
  UsageSourceEntity,
  UserEntity,
  WebhookDeliveryEntity,
  WebhookEntity,
  WeeklyUsageEntity,
];
