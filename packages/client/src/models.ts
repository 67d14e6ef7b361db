import type { components } from './generated/schema.js';

type Schemas = components['schemas'];

/** The service's resources by the names that programs use. */
export type Agent = Schemas['AgentResponse'];
export type AgentConfigVersion = Schemas['AgentConfigResponse'];
/** The level of the service's log. */
export type LogLevel = Schemas['LogLevelResponse'];
/** Whether people's changes are refused, and why. */
export type Maintenance = Schemas['MaintenanceResponse'];
export type Overview = Schemas['OverviewResponse'];
export type AgentQuotas = Schemas['AgentQuotasResponse'];
export type AgentDetail = Schemas['AgentDetailResponse'];
export type CreatedAgent = Schemas['CreatedAgentResponse'];
export type Deployment = Schemas['DeploymentResponse'];
export type DeploymentEvent = Schemas['DeploymentEventResponse'];
export type DeploymentHistory = Schemas['DeploymentHistoryResponse'];
/** A reply, with what only reads add to it: the names of actors. */
type WithNames<Reply, Named> = Reply & Partial<Omit<Named, keyof Reply>>;
/** A piece of work for an agent. */
export type Run = WithNames<Schemas['RunResponse'], Schemas['NamedRunResponse']>;
export type RunEvent = Schemas['RunEventResponse'];
/** A step, a line of the log or the progress, as the stream of a run sends it. */
export type RunStreamItem = Schemas['RunStreamItem'];
/** A part of what a program did: a call of a model or a tool, or a group of calls. */
export type Span = Schemas['SpanResponse'];
/** With its attributes and events. */
export type SpanDetail = Schemas['SpanDetailResponse'];
/** Tokens, calls and cost. */
export type Usage = Schemas['UsageResponse'];
/** Asks an agent for runs by a clock. */
export type Schedule = Schemas['ScheduleResponse'];
/** A limit of what agents may use. */
export type Budget = WithNames<Schemas['BudgetResponse'], Schemas['NamedBudgetResponse']>;
/** A question that an agent asks people before it acts, and its decision. */
export type Approval = WithNames<Schemas['ApprovalResponse'], Schemas['NamedApprovalResponse']>;
export type ApprovalDecision = Schemas['ApprovalDecision'];
export type Pause = WithNames<Schemas['PauseResponse'], Schemas['NamedPauseResponse']>;
/** With its next due times. */
export type ScheduleDetail = Schemas['ScheduleDetailResponse'];
export type CommandRecord = Schemas['CommandRecordResponse'];
export type FeedEvent = Schemas['FeedEventResponse'];
export type LogRecord = Schemas['LogRecord'];
export type MetricRecord = Schemas['MetricRecord'];
export type ApiKey = Schemas['ApiKeyResponse'];
export type CreatedApiKey = Schemas['CreatedApiKeyResponse'];
/** An authenticator app or a passkey of an account. */
export type SecondFactor = Schemas['SecondFactorResponse'];
/** Asks for a proof of who a person is: in a login, or for a step-up. */
export type SecondFactorQuestion = Schemas['SecondFactorQuestion'];
export type Session = Schemas['SessionResponse'];
/** An account, and the one-time link with which its person sets a password. */
export type Invitation = Schemas['InvitationResponse'];
export type Webhook = Schemas['WebhookResponse'];
export type WebhookEventPattern = Schemas['WebhookEventPattern'];
export type WebhookFormat = Webhook['format'];
export type WebhookWithSecret = Schemas['WebhookWithSecretResponse'];
export type WebhookDelivery = Schemas['WebhookDeliveryResponse'];
export type User = Schemas['UserResponse'];
/** A project: it owns agents, webhooks and keys. */
export type Project = Schemas['ProjectResponse'];
export type GroupRole = Schemas['GroupRoleResponse'];
export type ProjectLimit = Schemas['ProjectLimitResponse'];
export type ProjectLimitKind = Schemas['ProjectLimitKind'];
export type ProjectMember = Schemas['ProjectMemberResponse'];
export type Role = Schemas['Role'];
export type AuditEntry = Schemas['AuditEntryResponse'];
export type Scope = Schemas['Scope'];
export type Lead = Schemas['LeadResponse'];
export type Command = Schemas['CommandResponse'];
export type LogEntry = Schemas['LogEntry'];
export type MetricEntry = Schemas['MetricEntry'];
export type DeploymentReport = Schemas['DeploymentReport'];
