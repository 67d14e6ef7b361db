import { CreateControlPlane1790000000000 } from '../migrations/1790000000000-create-control-plane.js';
import { CreateWebhooks1790000100000 } from '../migrations/1790000100000-create-webhooks.js';
import { CreateNewsletterAndLeads1790000200000 } from '../migrations/1790000200000-create-newsletter-and-leads.js';
import { OrderLogsByTransaction1790000500000 } from '../migrations/1790000500000-order-logs-by-transaction.js';
import { CreateTelemetryBatches1790000600000 } from '../migrations/1790000600000-create-telemetry-batches.js';
import { BoundWhatGrows1790000700000 } from '../migrations/1790000700000-bound-what-grows.js';
import { HearAndForget1790000800000 } from '../migrations/1790000800000-hear-and-forget.js';
import { NameAssignedInterval1790000900000 } from '../migrations/1790000900000-name-assigned-interval.js';
import { FindLostDeployments1790001100000 } from '../migrations/1790001100000-find-lost-deployments.js';
import { KeepHealth1790001110000 } from '../migrations/1790001110000-keep-health.js';
import { CreateSessions1790001200000 } from '../migrations/1790001200000-create-sessions.js';
import { CreateAuditLog1790001300000 } from '../migrations/1790001300000-create-audit-log.js';
import { ScopeUserKeys1790001310000 } from '../migrations/1790001310000-scope-user-keys.js';
import { CreateAgentConfigs1790001400000 } from '../migrations/1790001400000-create-agent-configs.js';
import { CreateIdentities1790002300000 } from '../migrations/1790002300000-create-identities.js';
import { SeparateRoles1790002400000 } from '../migrations/1790002400000-separate-roles.js';
import { ForgetConfigsOfCommands1790002410000 } from '../migrations/1790002410000-forget-configs-of-commands.js';
import { FindAgents1790002500000 } from '../migrations/1790002500000-find-agents.js';
import { FillWorkload1790002510000 } from '../migrations/1790002510000-fill-workload.js';
import { FindSevereLogs1790002600000 } from '../migrations/1790002600000-find-severe-logs.js';
import { GiveWebhooksFormats1790002610000 } from '../migrations/1790002610000-give-webhooks-formats.js';
import { RunOnPostgresql141790002800000 } from '../migrations/1790002800000-run-on-postgresql-14.js';
import { TraceDeliveries1790003500000 } from '../migrations/1790003500000-trace-deliveries.js';
import { ReviewPresence1790004000000 } from '../migrations/1790004000000-review-presence.js';
import { IndexReviewedPresence1790004000010 } from '../migrations/1790004000010-index-reviewed-presence.js';
import { RecordOnlineUntil1790006000000 } from '../migrations/1790006000000-record-online-until.js';
import { IndexPresence1790006000010 } from '../migrations/1790006000010-index-presence.js';
import { FindNewestDeployment1790006200000 } from '../migrations/1790006200000-find-newest-deployment.js';
import { RecordSealingKeys1790006500000 } from '../migrations/1790006500000-record-sealing-keys.js';
import { CreateProjects1790007000000 } from '../migrations/1790007000000-create-projects.js';
import { OwnByProjects1790007000010 } from '../migrations/1790007000010-own-by-projects.js';
import { CheckOwners1790007000020 } from '../migrations/1790007000020-check-owners.js';
import { DeleteProjects1790007000030 } from '../migrations/1790007000030-delete-projects.js';
import { IndexProjects1790007000040 } from '../migrations/1790007000040-index-projects.js';
import { EndGroupMemberships1790007000100 } from '../migrations/1790007000100-end-group-memberships.js';
import { IndexGroupMemberships1790007000110 } from '../migrations/1790007000110-index-group-memberships.js';
import { CheckGroupMemberships1790007000120 } from '../migrations/1790007000120-check-group-memberships.js';
import { CreateRuns1790008000000 } from '../migrations/1790008000000-create-runs.js';
import { CreateSchedules1790008000100 } from '../migrations/1790008000100-create-schedules.js';
import { IndexScheduledRuns1790008000110 } from '../migrations/1790008000110-index-scheduled-runs.js';
import { NameRunsInTelemetry1790008000200 } from '../migrations/1790008000200-name-runs-in-telemetry.js';
import { IncludePayloadsInMessages1790008000210 } from '../migrations/1790008000210-include-payloads-in-messages.js';
import { IndexRunsInTelemetry1790008000220 } from '../migrations/1790008000220-index-runs-in-telemetry.js';
import { CreateUsage1790009000000 } from '../migrations/1790009000000-create-usage.js';
import { CreateSpans1790009000100 } from '../migrations/1790009000100-create-spans.js';
import { CheckTracedRuns1790009000110 } from '../migrations/1790009000110-check-traced-runs.js';
import { IndexTracedRuns1790009000120 } from '../migrations/1790009000120-index-traced-runs.js';
import { RememberUsageSeries1790009000200 } from '../migrations/1790009000200-remember-usage-series.js';
import { CreateBudgets1790009100000 } from '../migrations/1790009100000-create-budgets.js';
import { CreatePauses1790009200000 } from '../migrations/1790009200000-create-pauses.js';
import { CheckWorkloads1790009200010 } from '../migrations/1790009200010-check-workloads.js';
import { IndexPresentAgents1790009900000 } from '../migrations/1790009900000-index-present-agents.js';
import { SumUpUsageOfProjects1790010000000 } from '../migrations/1790010000000-sum-up-usage-of-projects.js';
import { ChooseUsageSources1790010000010 } from '../migrations/1790010000010-choose-usage-sources.js';
import { CheckUsageChoices1790010000020 } from '../migrations/1790010000020-check-usage-choices.js';
import { CountToolCalls1790010100000 } from '../migrations/1790010100000-count-tool-calls.js';
import { CheckLoopActions1790010100010 } from '../migrations/1790010100010-check-loop-actions.js';
import { KeepSpanContents1790010100020 } from '../migrations/1790010100020-keep-span-contents.js';
import { CheckCaptures1790010100030 } from '../migrations/1790010100030-check-captures.js';
import { NumberReturnedAttempts1790010200000 } from '../migrations/1790010200000-number-returned-attempts.js';
import { IndexUsedUpBudgets1790010200010 } from '../migrations/1790010200010-index-used-up-budgets.js';
import { CountRunTime1790010200020 } from '../migrations/1790010200020-count-run-time.js';
import { CreateApprovals1790010300000 } from '../migrations/1790010300000-create-approvals.js';
import { CheckApprovers1790010300010 } from '../migrations/1790010300010-check-approvers.js';
import { NameAskersOfSchedules1790010500000 } from '../migrations/1790010500000-name-askers-of-schedules.js';
import { IndexAskings1790010500010 } from '../migrations/1790010500010-index-askings.js';
import { LetKeysReachEverybody1790010700000 } from '../migrations/1790010700000-let-keys-reach-everybody.js';
import { CheckKeysForEverybody1790010700010 } from '../migrations/1790010700010-check-keys-for-everybody.js';
import { ChainAuditEntries1790010700020 } from '../migrations/1790010700020-chain-audit-entries.js';
import { CreateSecondFactors1790010800000 } from '../migrations/1790010800000-create-second-factors.js';
import { CountQuotas1790010900000 } from '../migrations/1790010900000-count-quotas.js';
import { TellOfPasswordLinks1790011000000 } from '../migrations/1790011000000-tell-of-password-links.js';
import { KeepWhatSignInsProve1790011000010 } from '../migrations/1790011000010-keep-what-sign-ins-prove.js';
import { RememberLabelsOfFormerAgents1790011100000 } from '../migrations/1790011100000-remember-labels-of-former-agents.js';
import { IndexExceededQuotas1790011200100 } from '../migrations/1790011200100-index-exceeded-quotas.js';
import { CountOnlineAgents1790011200110 } from '../migrations/1790011200110-count-online-agents.js';
import { IndexEventsOfAgents1790011200150 } from '../migrations/1790011200150-index-events-of-agents.js';
import { NumberEventsAfterCommit1790011300000 } from '../migrations/1790011300000-number-events-after-commit.js';
import { IndexEventsWithoutNumber1790011300010 } from '../migrations/1790011300010-index-events-without-number.js';
import { NumberLogLines1790011400000 } from '../migrations/1790011400000-number-log-lines.js';
import { IndexLogLines1790011400010 } from '../migrations/1790011400010-index-log-lines.js';
import { CountSubscribersInStatements1790011400050 } from '../migrations/1790011400050-count-subscribers-in-statements.js';
import { CreateServiceSwitches1790011400100 } from '../migrations/1790011400100-create-service-switches.js';
import { PartTelemetry1790011500000 } from '../migrations/1790011500000-part-telemetry.js';
import { EraseDeletedAccounts1790011500100 } from '../migrations/1790011500100-erase-deleted-accounts.js';
import { IndexLeadsByAddress1790011500110 } from '../migrations/1790011500110-index-leads-by-address.js';
import { RecordRuntimesOfAgents1790011500150 } from '../migrations/1790011500150-record-runtimes-of-agents.js';
import { IndexOutdatedAgents1790011500160 } from '../migrations/1790011500160-index-outdated-agents.js';
import { CreateProjectsOnce1790011600100 } from '../migrations/1790011600100-create-projects-once.js';
import { DropCopyingTriggers1790011600110 } from '../migrations/1790011600110-drop-copying-triggers.js';
import { LimitProjects1790011600120 } from '../migrations/1790011600120-limit-projects.js';
import { IndexAuditEntriesOfAgents1790011600130 } from '../migrations/1790011600130-index-audit-entries-of-agents.js';
import { DropIndexOfPayloads1790011600140 } from '../migrations/1790011600140-drop-index-of-payloads.js';
import { SumUpUsageOfWeeks1790011600210 } from '../migrations/1790011600210-sum-up-usage-of-weeks.js';

/** Part of the composition root: the migrations of the main database, in the order in which they run. */
export const migrations = [
  CreateControlPlane1790000000000,
  CreateWebhooks1790000100000,
  CreateNewsletterAndLeads1790000200000,
  OrderLogsByTransaction1790000500000,
  CreateTelemetryBatches1790000600000,
  BoundWhatGrows1790000700000,
  HearAndForget1790000800000,
  NameAssignedInterval1790000900000,
  FindLostDeployments1790001100000,
  KeepHealth1790001110000,
  CreateSessions1790001200000,
  CreateAuditLog1790001300000,
  ScopeUserKeys1790001310000,
  CreateAgentConfigs1790001400000,
  CreateIdentities1790002300000,
  SeparateRoles1790002400000,
  ForgetConfigsOfCommands1790002410000,
  FindAgents1790002500000,
  FillWorkload1790002510000,
  FindSevereLogs1790002600000,
  GiveWebhooksFormats1790002610000,
  RunOnPostgresql141790002800000,
  TraceDeliveries1790003500000,
  ReviewPresence1790004000000,
  IndexReviewedPresence1790004000010,
  RecordOnlineUntil1790006000000,
  IndexPresence1790006000010,
  FindNewestDeployment1790006200000,
  RecordSealingKeys1790006500000,
  CreateProjects1790007000000,
  OwnByProjects1790007000010,
  CheckOwners1790007000020,
  DeleteProjects1790007000030,
  IndexProjects1790007000040,
  EndGroupMemberships1790007000100,
  IndexGroupMemberships1790007000110,
  CheckGroupMemberships1790007000120,
  CreateRuns1790008000000,
  CreateSchedules1790008000100,
  IndexScheduledRuns1790008000110,
  NameRunsInTelemetry1790008000200,
  IncludePayloadsInMessages1790008000210,
  IndexRunsInTelemetry1790008000220,
  CreateUsage1790009000000,
  CreateSpans1790009000100,
  CheckTracedRuns1790009000110,
  IndexTracedRuns1790009000120,
  RememberUsageSeries1790009000200,
  CreateBudgets1790009100000,
  CreatePauses1790009200000,
  CheckWorkloads1790009200010,
  IndexPresentAgents1790009900000,
  SumUpUsageOfProjects1790010000000,
  ChooseUsageSources1790010000010,
  CheckUsageChoices1790010000020,
  CountToolCalls1790010100000,
  CheckLoopActions1790010100010,
  KeepSpanContents1790010100020,
  CheckCaptures1790010100030,
  NumberReturnedAttempts1790010200000,
  IndexUsedUpBudgets1790010200010,
  CountRunTime1790010200020,
  CreateApprovals1790010300000,
  CheckApprovers1790010300010,
  NameAskersOfSchedules1790010500000,
  IndexAskings1790010500010,
  LetKeysReachEverybody1790010700000,
  CheckKeysForEverybody1790010700010,
  ChainAuditEntries1790010700020,
  CreateSecondFactors1790010800000,
  CountQuotas1790010900000,
  TellOfPasswordLinks1790011000000,
  KeepWhatSignInsProve1790011000010,
  RememberLabelsOfFormerAgents1790011100000,
  IndexExceededQuotas1790011200100,
  CountOnlineAgents1790011200110,
  IndexEventsOfAgents1790011200150,
  NumberEventsAfterCommit1790011300000,
  IndexEventsWithoutNumber1790011300010,
  NumberLogLines1790011400000,
  IndexLogLines1790011400010,
  CountSubscribersInStatements1790011400050,
  CreateServiceSwitches1790011400100,
  PartTelemetry1790011500000,
  EraseDeletedAccounts1790011500100,
  IndexLeadsByAddress1790011500110,
  RecordRuntimesOfAgents1790011500150,
  IndexOutdatedAgents1790011500160,
  CreateProjectsOnce1790011600100,
  DropCopyingTriggers1790011600110,
  LimitProjects1790011600120,
  IndexAuditEntriesOfAgents1790011600130,
  DropIndexOfPayloads1790011600140,
  SumUpUsageOfWeeks1790011600210,
];
