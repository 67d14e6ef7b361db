import { Burger, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { useHasSharedProjects } from '../api/projects.js';
import { ServiceAwayBanner } from '../components/service-away-banner.js';
import { Brand } from './brand.js';
import { FindButton } from './find-button.js';
import { Navigation } from './navigation.js';
import { useLostFocus } from './lost-focus.js';
import classes from './shell.module.css';
import { useSignOutElsewhere } from './sign-out.js';
import { UserMenu } from './user-menu.js';

const ProjectSwitch = lazy(async () => ({
  default: (await import('./project-switch.js')).ProjectSwitch,
}));

const Keyboard = lazy(async () => ({ default: (await import('./keyboard.js')).Keyboard }));

const Notices = lazy(async () => ({ default: (await import('./notices.js')).Notices }));

/** The switch of projects, for users with shared ones: all others load a page without it. */
function ProjectsOfSeveral() {
  if (!useHasSharedProjects()) return null;
  return (
    <Suspense>
      <ProjectSwitch />
    </Suspense>
  );
}

/** Navigation next to the page; on a narrow screen it is behind a button. */
export function Shell() {
  useSignOutElsewhere();
  const [isMenuOpen, menu] = useDisclosure(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    menu.close();
    // a page load would set the focus there too: screen readers begin there
    main.current?.focus({ preventScroll: true });
  }, [pathname, menu]);
  useLostFocus(main);
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.top}>
        <Burger
          size="sm"
          opened={isMenuOpen}
          onClick={menu.toggle}
          aria-label="Menu"
          aria-expanded={isMenuOpen}
        />
        <Brand />
        <div className={classes.account}>
          <FindButton isCompact />
          <UserMenu isCompact />
        </div>
      </header>
      <aside className={classes.side} aria-label="Navigation and account">
        <Brand />
        <FindButton />
        <ProjectsOfSeveral />
        <Navigation />
        <div className={classes.account}>
          <UserMenu />
        </div>
      </aside>
      <Drawer opened={isMenuOpen} onClose={menu.close} size={260} title="Menu" hiddenFrom="sm">
        <ProjectsOfSeveral />
        <Navigation onNavigate={menu.close} />
      </Drawer>
      <Suspense>
        <Keyboard />
      </Suspense>
      <Progress />
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <ServiceAwayBanner />
        <Suspense>
          <Notices />
        </Suspense>
        <Outlet />
      </main>
      <ScrollRestoration />
    </div>
  );
}

/** A thin line while a page is being loaded, if that takes noticeably long. */
function Progress() {
  const { state } = useNavigation();
  return state === 'loading' ? <div className={classes.progress} aria-hidden /> : null;
}
