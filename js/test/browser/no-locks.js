// As on pages that do not come over HTTPS.
delete WorkerNavigator.prototype.locks;
