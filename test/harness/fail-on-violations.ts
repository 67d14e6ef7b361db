import { takeViolations } from './violations.js';

// for Jest's `setupFilesAfterEnv`: also reports violations that a test caught, or that occurred where nothing can throw
function report(): void {
  const [first] = takeViolations();
  if (first) throw first;
}

afterEach(report);
afterAll(report);
