import { worst } from '@sheaf/vocabulary/health';
import type { ComponentHealth } from './health.ts';
import { makeProblem, type ProblemDetails, type ServiceProblem, type ServiceProblemCode } from './service-problem.ts';

/** A component with these problems; healthy where there is none. Each is listed once. */
export const foundProblems = (status: 'warning' | 'unhealthy', problems: readonly ServiceProblem[]): ComponentHealth => {
  const byMessage = new Map(problems.map((problem) => [problem.message, problem]));
  return byMessage.size === 0
    ? { status: 'healthy' }
    : { status, message: [...byMessage.keys()].join('; '), problems: [...byMessage.values()] };
};

/** A component that works, with the problem of a code. */
export const warning = <C extends ServiceProblemCode>(code: C, ...details: ProblemDetails<C>): ComponentHealth =>
  foundProblems('warning', [makeProblem(code, ...details)]);

/** A component that does not work, with the problem of a code. */
export const unhealthy = <C extends ServiceProblemCode>(code: C, ...details: ProblemDetails<C>): ComponentHealth =>
  foundProblems('unhealthy', [makeProblem(code, ...details)]);

/** The problems of a component; a process of another version may have written only a message, and one without either has its `name`. */
export const problemsOf = ({ message, problems }: ComponentHealth, name?: string): readonly ServiceProblem[] => {
  const text = message ?? name;
  return problems ?? (text === undefined ? [] : [{ code: 'other', message: text, details: {} }]);
};

/** What several say of the same component: the worst of them, with all problems. */
export const joinHealth = (...findings: readonly ComponentHealth[]): ComponentHealth => {
  const status = worst(findings.map((finding) => finding.status));
  if (status === 'healthy') return { status };
  return {
    ...foundProblems(
      status,
      findings.flatMap((finding) => problemsOf(finding)),
    ),
    status,
  };
};
