import type { ReactNode } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { useSession } from '../../api/session.js';
import { ServiceAwayBanner } from '../../components/service-away-banner.js';
import classes from './entrance.module.css';
import { wantedPath } from './wanted-path.js';
import { pathHere } from '../../components/page-meta.js';

/** The titles of the pages before the sign-in, by their paths; some have another one for a special visitor. */
export const ENTRANCE_TITLES = {
  '/sign-in': 'Sign in',
  '/sign-in/sso': 'Single sign-on',
  '/sign-up': 'Create an account',
  '/set-password': 'Set your password',
  '/enrol': 'Add a second factor',
} as const;

/** Path of the page to open after the sign-in. */
export function useWantedPath(): string {
  const [search] = useSearchParams();
  return wantedPath(search.get('next'), location.origin);
}

export interface EntranceProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly footer: ReactNode;
  /** True if signed-in users may see the page too: they are not redirected. */
  readonly isForAll?: boolean;
}

/** Frame of the pages before the sign-in. A signed-in user is redirected at once. */
export function Entrance({ title, children, footer, isForAll = false }: EntranceProps) {
  const session = useSession();
  const wanted = useWantedPath();
  if (session.data && !isForAll) return <Navigate to={wanted} replace />;
  return (
    <>
      <title>{`${title} · Agent control plane`}</title>
      <EntranceCard title={title} footer={footer} banner={<ServiceAwayBanner />}>
        {children}
      </EntranceCard>
    </>
  );
}

type CardProps = Pick<EntranceProps, 'title' | 'children' | 'footer'> & { readonly banner?: ReactNode };

/** The page alone, as the document has it before its scripts. */
export function EntranceCard({ title, banner, children, footer }: CardProps) {
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <p className={classes.brand}>
          <img src={pathHere('/icon.svg')} alt="" width={28} height={28} />
          Agent control plane
        </p>
        {banner}
        <div className={classes.card}>
          <h1 className={classes.title}>{title}</h1>
          {children}
        </div>
        <p className={classes.footer}>{footer}</p>
      </div>
    </main>
  );
}
