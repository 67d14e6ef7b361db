import { IconChevronLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { usePendingCount } from '../api/pending-approvals.js';
import classes from './page-header.module.css';

export interface PageHeaderProps {
  readonly title: string;
  /** The list to which the page belongs. */
  readonly back?: { readonly to: string; readonly label: string };
  /** Status next to the title. */
  readonly badge?: ReactNode;
  /** Facts in a line below the title. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** The page's only h1, and its title in the browser, which also counts the questions that wait. */
export function PageHeader(props: PageHeaderProps) {
  const waiting = usePendingCount();
  return (
    <>
      <title>{`${waiting ? `(${waiting}) ` : ''}${props.title} · Agent control plane`}</title>
      <PageHeading {...props} />
    </>
  );
}

/** The header alone, for a page that may be replaced before its title is read. */
export function PageHeading({ title, back, badge, children, actions }: PageHeaderProps) {
  return (
    <header className={classes.header}>
      {back && (
        <Link to={back.to} className={classes.back}>
          <IconChevronLeft size={16} aria-hidden />
          {back.label}
        </Link>
      )}
      <div className={classes.line}>
        <div className={classes.heading}>
          <h1 className={classes.title} tabIndex={-1}>
            {title}
          </h1>
          {badge}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {children && <div className={classes.facts}>{children}</div>}
    </header>
  );
}
