/** Callers of operations, by the ids of the document. What is in no list takes the credential of a person or an agent. */

/** Open to everyone; what is not in this list needs a credential. */
export const OPEN = [
  'describeService',
  'getHealth',
  'getReadiness',
  'registerUser',
  'login',
  'refreshTokens',
  'subscribeToNewsletter',
  'countNewsletterSubscribers',
  'createLead',
  'resetPassword',
  'getLoginMethods',
  'beginSso',
  'finishSso',
];

/** A leaked key can't make more keys. */
export const TOKEN_ONLY = /^\/(auth|api-keys|users)(\/|$)/;

export const OPERATOR_ONLY = [
  'listUsers',
  'inviteUser',
  'updateUser',
  'createPasswordReset',
  'listLeads',
  'getLead',
];

/** Operators read, stop and delete by id what belongs to others. */
export const OPERATORS_REACH = [
  'getAgent',
  'stopAgent',
  'deleteAgent',
  'getDeployment',
  'stopDeployment',
  'listDeploymentEvents',
  'deleteDeployment',
  'getWebhook',
  'deleteWebhook',
  'revokeApiKey',
];
