import { Burger } from '@mantine/core';
import type { ReactNode } from 'react';
import { Brand } from './brand.js';
import classes from './shell.module.css';

export interface BarsProps {
  /** The button of the navigation on narrow screens; undefined: nothing answers it yet. */
  readonly menu?: { readonly isOpen: boolean; readonly toggle: () => void };
  /** Right end of the bar above the page, which narrow screens have. */
  readonly top: ReactNode;
  /** Parts of the bar beside the page, which wide screens have. */
  readonly find: ReactNode;
  readonly navigation: ReactNode;
  readonly account: ReactNode;
  /** The page. */
  readonly children: ReactNode;
}

/** The bar above or beside the page: in the dashboard and in {@link PageFrame}, which is there before it. */
export function Bars({ menu, top, find, navigation, account, children }: BarsProps) {
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.top}>
        <Burger
          size="sm"
          inert={menu === undefined}
          opened={menu?.isOpen}
          onClick={menu?.toggle}
          aria-label="Menu"
          aria-expanded={menu?.isOpen}
        />
        <Brand />
        <div className={classes.account} inert={menu === undefined}>
          {top}
        </div>
      </header>
      <aside className={classes.side} aria-label="Navigation and account">
        <Brand />
        {find}
        {navigation}
        <div className={classes.account}>{account}</div>
      </aside>
      {children}
    </div>
  );
}
