export { addEarlierVersion } from './add-earlier-version.ts';
export { describePages, editContent } from './edit-content.ts';
export { joinVersions, moveNotes } from './join-versions.ts';
export { findByEarlierHash, findOtherByHash, getVersion, listVersionPages, listVersions, type Version } from './list-versions.ts';
export { type PlacedPage, placePages } from './place-pages.ts';
export { deleteEarlierPages, replaceContent, restoreContent, trimVersions } from './replace-content.ts';
