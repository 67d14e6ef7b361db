import { readFileSync } from 'node:fs';
import { PAGES } from '../bench/pages/paths.js';

describe('The measurement of the pages', () => {
  it('opens each page behind a session', () => {
    const router = readFileSync('src/web/ui/app/router.tsx', 'utf8');
    const [, behindSession] = /const pages: RouteObject\[\] = (.*?)\nconst routes/s.exec(router)!;
    const routes = [...behindSession!.matchAll(/index: true|path: '([^']+)'/g)].map(([, path = '']) => path);
    expect(PAGES.map(({ path }) => path).sort()).toEqual(routes.sort());
  });
});
