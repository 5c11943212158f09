import type { FixedConfig } from '@sheaf/config';
import { featureDisabled } from '@sheaf/contract';
import type { Database } from '@sheaf/db';
import { z } from 'zod';
import type { Cursors } from './cursor.ts';
import { type Route, streamRoute } from './route.ts';

/** What the routes of a feature use that lists rows and does something with one of them. */
export interface FeatureServices {
  readonly config: Pick<FixedConfig, 'features'>;
  readonly database: Database;
  readonly cursors: Cursors;
}

const answerOff = (variable: string, route: Route): Route => {
  const { method, path, access, summary, allowedBeforeMfa, isProbe } = route;
  const off = streamRoute({
    method,
    path,
    access,
    summary,
    ...(allowedBeforeMfa && { allowedBeforeMfa }),
    ...(isProbe && { isProbe }),
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: { answers: [] },
    // whatever is asked, the answer is the same
    params: z.unknown(),
    query: z.unknown(),
    stream: async () => {
      throw featureDisabled(variable);
    },
  });
  return { ...off, whenOn: { ...route, errors: { ...route.errors, FEATURE_DISABLED: 'NOT_FOUND' } } };
};

/** The routes of a feature; while the setting `variable` is off each answers FEATURE_DISABLED to those it would let in. */
export const behindFeature = (variable: string, isOn: boolean, routes: readonly Route[]): readonly Route[] =>
  isOn ? routes : routes.map((route) => answerOff(variable, route));
