/**
 * Callers of operations, by the ids of the document. Operations in no list need the credential of a person or an agent.
 */

/** Open operations; all others need a credential. */
export const OPEN = [
  'describeService',
  'getHealth',
  'getReadiness',
  'registerUser',
  'login',
  'finishLogin',
  'refreshTokens',
  'subscribeToNewsletter',
  'countNewsletterSubscribers',
  'createLead',
  'resetPassword',
  'getLoginMethods',
  'beginSso',
  'finishSso',
];

/** Routes without API keys, as `METHOD path`: a leaked key can't create more keys, nor keep people from working. */
export const TOKEN_ONLY = /^\w+ \/(auth|api-keys|users|log-level)(\/|$)|^(PUT|DELETE) \/maintenance$/;

export const OPERATOR_ONLY = [
  'listUsers',
  'inviteUser',
  'updateUser',
  'deleteUser',
  'createPasswordReset',
  'removeSecondFactors',
  'listLeads',
  'getLead',
  'putModelPrice',
  'deleteModelPrice',
  'putMaintenance',
  'deleteMaintenance',
  'getLogLevel',
  'putLogLevel',
  'deleteLogLevel',
  'updateProjectLimits',
];

/** Operators read, stop and delete other users' resources by id. */
export const OPERATORS_REACH = [
  'getProject',
  'getProjectLimits',
  'deleteProject',
  'listProjectMembers',
  // an owner
  'addProjectMember',
  'getAgent',
  'getAgentQuotas',
  'stopAgent',
  'pauseAgent',
  'deleteAgent',
  'getDeployment',
  'stopDeployment',
  'listDeploymentEvents',
  'deleteDeployment',
  'getRun',
  'listRunEvents',
  'cancelRun',
  'getApproval',
  'getBudget',
  'deleteBudget',
  'getSchedule',
  'deleteSchedule',
  'getWebhook',
  'deleteWebhook',
  'revokeApiKey',
];
