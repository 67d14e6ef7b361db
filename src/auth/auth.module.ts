import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AgentsModule } from '../agents/agents.module.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { LeadsModule } from '../leads/leads.module.js';
import { NewsletterModule } from '../newsletter/newsletter.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { UsersModule } from '../users/users.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { QueryGuard } from './query.guard.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { AccountByEmail, AccountByRefreshToken } from './accounts-of-requests.js';
import { AccountBelongings, AccountDeletionService } from './account-deletion.service.js';
import { AccountPasswordsService } from './account-passwords.service.js';
import { AccountsController } from './accounts.controller.js';
import { AccountsService } from './accounts.service.js';
import { AgentGuard } from './agent.guard.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { InvitationsService } from './invitations.service.js';
import { ListsOfOthersGuard } from './lists-of-others.guard.js';
import { OperatorSetupService } from './operator-setup.service.js';
import { PasswordChangesService } from './password-changes.service.js';
import { PasswordGuessesService } from './password-guesses.service.js';
import { PasswordLinksRepository } from './password-links/password-links.repository.js';
import { PasswordLinksService } from './password-links/password-links.service.js';
import { PasswordResetsService } from './password-resets.service.js';
import { RegistrationService } from './registration.service.js';
import { RouteDeclarations } from './route-declarations.js';
import { PasswordsController } from './passwords.controller.js';
import { Passwords } from './passwords.js';
import { RefusedRuntimesService } from './refused-runtimes.service.js';
import { FactorAccountsService } from './second-factor/factor-accounts.service.js';
import { FactorChallengesRepository } from './second-factor/factor-challenges.repository.js';
import { FactorChallengesService } from './second-factor/factor-challenges.service.js';
import { FactorChecksService } from './second-factor/factor-checks.service.js';
import { FactorGuessesService } from './second-factor/factor-guesses.service.js';
import { FactorProofsService } from './second-factor/factor-proofs.service.js';
import { FactorsController } from './second-factor/factors.controller.js';
import { FactorsService } from './second-factor/factors.service.js';
import { LostFactorsService } from './second-factor/lost-factors.service.js';
import { PasskeyEnrolmentsService } from './second-factor/passkey-enrolments.service.js';
import { Passkeys } from './second-factor/passkeys.js';
import { ProofsController } from './second-factor/proofs.controller.js';
import { RecoveryCodesRepository } from './second-factor/recovery-codes.repository.js';
import { SecondFactorLoginsService } from './second-factor/second-factor-logins.service.js';
import { SecondFactorsRepository } from './second-factor/second-factors.repository.js';
import { StepUpsService } from './second-factor/step-ups.service.js';
import { TotpEnrolmentsService } from './second-factor/totp-enrolments.service.js';
import { TotpSecretCipher } from './second-factor/totp-secret-cipher.js';
import { SessionProofsService } from './sessions/session-proofs.service.js';
import { SessionRefreshesService } from './sessions/session-refreshes.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { SigningKeys } from './signing-keys.js';
import { DemandedSignIn } from './sso/demanded-sign-in.js';
import { IdentitiesRepository } from './sso/identities.repository.js';
import { IdentityLinksService } from './sso/identity-links.service.js';
import { IdentityProvider } from './sso/identity-provider.js';
import { ProofGuard } from './proof.guard.js';
import { ProviderGrantCipher } from './sso/provider-grant-cipher.js';
import { ProviderGrantsRepository } from './sso/provider-grants.repository.js';
import { ProviderGrantsService } from './sso/provider-grants.service.js';
import { ProviderTokensService } from './sso/provider-tokens.service.js';
import { SessionGroupsService } from './sso/session-groups.service.js';
import { SignInProofsRepository } from './sso/sign-in-proofs.repository.js';
import { SignInProofsService } from './sso/sign-in-proofs.service.js';
import { SignInFlows } from './sso/sign-in-flows.js';
import { SsoAccountsService } from './sso/sso-accounts.service.js';
import { SsoController } from './sso/sso.controller.js';
import { SsoLoginsService } from './sso/sso-logins.service.js';
import { SsoRightsService } from './sso/sso-rights.service.js';
import { SsoRules } from './sso/sso-rules.js';
import { SsoSessionsService } from './sso/sso-sessions.service.js';
import { TokensService } from './tokens.service.js';
import { UserGuard } from './user.guard.js';

const RETENTION_INTERVAL_MS = 3_600_000;

@Module({
  imports: [
    DiscoveryModule,
    UsersModule,
    LeadsModule,
    NewsletterModule,
    ProjectsModule,
    ApiKeysModule,
    AgentsModule,
    DeploymentsModule,
  ],
  controllers: [
    AuthController,
    SessionsController,
    PasswordsController,
    AccountsController,
    FactorsController,
    ProofsController,
    SsoController,
  ],
  providers: [
    AccessTokenStrategy,
    AccountByEmail,
    AccountBelongings,
    AccountByRefreshToken,
    AccountDeletionService,
    AccountPasswordsService,
    AccountsService,
    AuthService,
    DemandedSignIn,
    IdentitiesRepository,
    InvitationsService,
    IdentityLinksService,
    IdentityProvider,
    OperatorSetupService,
    PasswordChangesService,
    PasswordGuessesService,
    PasswordLinksRepository,
    PasswordLinksService,
    PasswordResetsService,
    Passwords,
    ProviderGrantCipher,
    ProviderGrantsRepository,
    ProviderGrantsService,
    ProviderTokensService,
    RefusedRuntimesService,
    RegistrationService,
    FactorAccountsService,
    FactorChallengesRepository,
    FactorChallengesService,
    FactorChecksService,
    FactorGuessesService,
    FactorProofsService,
    FactorsService,
    LostFactorsService,
    PasskeyEnrolmentsService,
    Passkeys,
    RecoveryCodesRepository,
    SecondFactorLoginsService,
    SecondFactorsRepository,
    SessionProofsService,
    StepUpsService,
    TotpEnrolmentsService,
    TotpSecretCipher,
    SessionGroupsService,
    SessionRefreshesService,
    SessionsRepository,
    SessionsService,
    SignInFlows,
    SignInProofsRepository,
    SignInProofsService,
    SigningKeys,
    SsoAccountsService,
    SsoLoginsService,
    SsoRightsService,
    SsoRules,
    SsoSessionsService,
    TokensService,
    RouteDeclarations,
    // The order matters: the user guard checks every credential that is no agent's key.
    { provide: APP_GUARD, useClass: UserGuard },
    { provide: APP_GUARD, useClass: AgentGuard },
    { provide: APP_GUARD, useClass: ListsOfOthersGuard },
    { provide: APP_GUARD, useClass: ProofGuard },
    { provide: APP_GUARD, useClass: QueryGuard },
  ],
})
export class AuthModule {
  /** Ended sessions and used links are deleted at once, expired ones by a job. */
  constructor(
    jobs: PeriodicJobs,
    sessions: SessionsRepository,
    links: PasswordLinksRepository,
    factors: SecondFactorsRepository,
    challenges: FactorChallengesRepository,
  ) {
    jobs.addDeletions('sessionRetention', RETENTION_INTERVAL_MS, {
      'expired sessions': (connection, limit) => sessions.deleteExpired(connection, limit),
      'expired password links': (connection, limit) => links.deleteExpired(connection, limit),
      'unconfirmed second factors': (connection, limit) => factors.deleteExpired(connection, limit),
      'expired questions for a second factor': (connection, limit) =>
        challenges.deleteExpired(connection, limit),
    });
  }
}
