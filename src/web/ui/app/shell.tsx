import { Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { useHasSharedProjects } from '../api/projects.js';
import { ServiceAwayBanner } from '../components/service-away-banner.js';
import { Bars } from './bars.js';
import { FindButton } from './find-button.js';
import { Navigation } from './navigation.js';
import { useLostFocus } from './lost-focus.js';
import { useUser } from './require-session.js';
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
  const user = useUser();
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
    <Bars
      menu={{ isOpen: isMenuOpen, toggle: menu.toggle }}
      top={
        <>
          <FindButton isCompact />
          <UserMenu isCompact />
        </>
      }
      find={<FindButton />}
      navigation={
        <>
          <ProjectsOfSeveral />
          <Navigation user={user} />
        </>
      }
      account={<UserMenu />}
    >
      <Drawer opened={isMenuOpen} onClose={menu.close} size={260} title="Menu" hiddenFrom="sm">
        <ProjectsOfSeveral />
        <Navigation user={user} onNavigate={menu.close} />
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
    </Bars>
  );
}

/** A thin line while a page is being loaded, if that takes noticeably long. */
function Progress() {
  const { state } = useNavigation();
  return state === 'loading' ? <div className={classes.progress} aria-hidden /> : null;
}
