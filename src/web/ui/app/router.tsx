import { createBrowserRouter, type RouteObject } from 'react-router';
import { sessionQuery } from '../api/session.js';
import { pathHere } from '../components/page-meta.js';
import { SignInPage } from '../pages/sign-in/sign-in-page.js';
import { queryClient } from './query-client.js';
import { RequireOperator, RequireSession } from './require-session.js';
import { RouteError } from './route-error.js';
import { Shell } from './shell.js';

/** The pages behind a session. They are loaded when they are first opened; until then the previous page stays. */
const pages: RouteObject[] = [
  {
    index: true,
    lazy: async () => ({ Component: (await import('../pages/overview/overview-page.js')).OverviewPage }),
  },
  {
    path: 'welcome',
    lazy: async () => ({ Component: (await import('../pages/welcome/welcome-page.js')).WelcomePage }),
  },
  {
    path: 'agents',
    lazy: async () => ({ Component: (await import('../pages/agents/agents-page.js')).AgentsPage }),
  },
  {
    path: 'agents/new',
    lazy: async () => ({ Component: (await import('../pages/agents/new-agent-page.js')).NewAgentPage }),
  },
  {
    path: 'agents/:id',
    lazy: async () => ({ Component: (await import('../pages/agent/agent-page.js')).AgentPage }),
  },
  {
    path: 'pauses',
    lazy: async () => ({ Component: (await import('../pages/pauses/pauses-page.js')).PausesPage }),
  },
  {
    path: 'deployments',
    lazy: async () => ({
      Component: (await import('../pages/deployments/deployments-page.js')).DeploymentsPage,
    }),
  },
  {
    path: 'deployments/:id',
    lazy: async () => ({
      Component: (await import('../pages/deployment/deployment-page.js')).DeploymentPage,
    }),
  },
  {
    path: 'runs',
    lazy: async () => ({ Component: (await import('../pages/runs/runs-page.js')).RunsPage }),
  },
  {
    path: 'runs/:id',
    lazy: async () => ({ Component: (await import('../pages/run/run-page.js')).RunPage }),
  },
  {
    path: 'approvals',
    lazy: async () => ({ Component: (await import('../pages/approvals/approvals-page.js')).ApprovalsPage }),
  },
  {
    path: 'approvals/:id',
    lazy: async () => ({ Component: (await import('../pages/approval/approval-page.js')).ApprovalPage }),
  },
  {
    path: 'schedules',
    lazy: async () => ({ Component: (await import('../pages/schedules/schedules-page.js')).SchedulesPage }),
  },
  {
    path: 'schedules/:id',
    lazy: async () => ({ Component: (await import('../pages/schedule/schedule-page.js')).SchedulePage }),
  },
  {
    path: 'usage',
    lazy: async () => ({ Component: (await import('../pages/usage/usage-page.js')).UsagePage }),
  },
  {
    path: 'logs',
    lazy: async () => ({ Component: (await import('../pages/logs/logs-page.js')).LogsPage }),
  },
  {
    path: 'api-keys',
    lazy: async () => ({ Component: (await import('../pages/api-keys/api-keys-page.js')).ApiKeysPage }),
  },
  {
    path: 'account',
    lazy: async () => ({ Component: (await import('../pages/account/account-page.js')).AccountPage }),
  },
  {
    path: 'webhooks',
    lazy: async () => ({ Component: (await import('../pages/webhooks/webhooks-page.js')).WebhooksPage }),
  },
  {
    path: 'audit',
    lazy: async () => ({ Component: (await import('../pages/audit/audit-page.js')).AuditPage }),
  },
  {
    path: 'projects',
    lazy: async () => ({ Component: (await import('../pages/projects/projects-page.js')).ProjectsPage }),
  },
  {
    path: 'projects/:id',
    lazy: async () => ({ Component: (await import('../pages/project/project-page.js')).ProjectPage }),
  },
  {
    path: 'webhooks/:id',
    lazy: async () => ({ Component: (await import('../pages/webhook/webhook-page.js')).WebhookPage }),
  },
];

const operatorPages: RouteObject[] = [
  {
    path: 'maintenance',
    lazy: async () => ({
      Component: (await import('../pages/maintenance/maintenance-page.js')).MaintenancePage,
    }),
  },
  {
    path: 'users',
    lazy: async () => ({ Component: (await import('../pages/users/users-page.js')).UsersPage }),
  },
  {
    path: 'leads',
    lazy: async () => ({ Component: (await import('../pages/leads/leads-page.js')).LeadsPage }),
  },
];

const routes: RouteObject[] = [
  {
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      { path: 'sign-in', Component: SignInPage },
      {
        path: 'sign-in/sso',
        lazy: async () => ({
          Component: (await import('../pages/sign-in/sso-return-page.js')).SsoReturnPage,
        }),
      },
      {
        path: 'sign-up',
        lazy: async () => ({ Component: (await import('../pages/sign-in/sign-up-page.js')).SignUpPage }),
      },
      {
        path: 'set-password',
        lazy: async () => ({
          Component: (await import('../pages/sign-in/set-password-page.js')).SetPasswordPage,
        }),
      },
      {
        path: 'enrol',
        lazy: async () => ({ Component: (await import('../pages/account/enrol-page.js')).EnrolPage }),
      },
      {
        Component: RequireSession,
        // beside the page's file; the component would begin only when that is loaded
        loader: async () => {
          await queryClient.prefetchQuery(sessionQuery);
          return null;
        },
        shouldRevalidate: () => false,
        children: [
          {
            Component: Shell,
            children: [
              {
                ErrorBoundary: RouteError,
                children: [
                  ...pages,
                  { Component: RequireOperator, children: operatorPages },
                  {
                    path: '*',
                    lazy: async () => ({ Component: (await import('./not-found-page.js')).NotFoundPage }),
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
];

export const router = createBrowserRouter(routes, { basename: pathHere('/') });

/** Resolves when the first page and the session are there: until then the document shows the page's frame. */
export function firstPageLoaded(): Promise<void> {
  return new Promise((resolve) => {
    if (router.state.initialized) return resolve();
    const stop = router.subscribe(({ initialized }) => {
      if (!initialized) return;
      stop();
      resolve();
    });
  });
}
