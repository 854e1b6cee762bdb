/** The roles of the embedded server. On an external server `rapport_app` is recognized by its name. */

/**
 * Owner of the cluster. Creates roles and the database, and is never used by the app. It has the name of 1.0.0's only
 * role.
 */
export const SUPERUSER = 'rapport';

/** Owner of the database and its tables: runs migrations, backups and restores. Not a superuser. */
export const MIGRATIONS_ROLE = 'rapport_migrations';

/** Role of the app, with the rights of migrations/grants.sql. */
export const APP_ROLE = 'rapport_app';
