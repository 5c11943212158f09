export { type ConnectionReason, connectionReason } from './connection-reason.ts';
export { editDistance, editDistanceToBeginning } from './edit-distance.ts';
export { errorChain, errorCode } from './error-code.ts';
export {
  AppError,
  type AppErrorOptions,
  codedError,
  documentNotFound,
  type ErrorDetails,
  type ErrorEnvelope,
  errorBody,
  featureDisabled,
  forbidden,
  internalError,
  invalidInput,
  permissionNeeded,
  publicCodeOf,
  rateLimited,
  reasonedError,
  requestTimeout,
  serviceUnavailable,
  toErrorEnvelope,
  toErrorReport,
  unauthorized,
  validationError,
} from './errors.ts';
export { escapeHtml } from './escape-html.ts';
export { idList } from './id-list.ts';
export { type Issue, makeIssue, plainIssue, toIssues } from './issue.ts';
export { firstAfter, moment, notBefore } from './moment.ts';
export { findOpenBracket } from './open-glob.ts';
export { withoutOptionalNulls } from './optional-nulls.ts';
export {
  askedPage,
  cursorQuery,
  nextCursor,
  type PageQuery,
  type Pagination,
  pageQuery,
  paginationBody,
  sortQuery,
  toPagination,
} from './page.ts';
export { rowId } from './row-id.ts';
export { Secret } from './secret.ts';
export { storableJson, storableText, stripBoth, stripEnd } from './text.ts';
