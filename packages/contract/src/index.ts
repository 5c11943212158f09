export { idList } from './documents/document.ts';
export {
  AppError,
  type AppErrorOptions,
  type ConnectionReason,
  codedError,
  connectionReason,
  documentNotFound,
  type ErrorDetails,
  type ErrorEnvelope,
  errorBody,
  errorChain,
  errorCode,
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
export { type Issue, makeIssue, plainIssue, toIssues } from './issue.ts';
export { firstAfter, moment, notBefore } from './moment.ts';
export { withoutOptionalNulls } from './optional-nulls.ts';
export {
  askedPage,
  cursorQuery,
  nextCursor,
  type PageQuery,
  type Pagination,
  pageQuery,
  paginationBody,
  rowId,
  sortQuery,
  toPagination,
} from './page.ts';
export { Secret } from './secret.ts';
export { findOpenBracket } from './sources/source-body.ts';
export { editDistance, editDistanceToBeginning, escapeHtml, storableJson, storableText, stripBoth, stripEnd } from './text.ts';
