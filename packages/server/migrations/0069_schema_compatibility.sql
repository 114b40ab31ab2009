set local lock_timeout = '5s';

-- The oldest program that may run on the schema after a migration, named by the newest migration that this program has. Each migration
-- from here on adds its own row. A program that finds migrations that it does not have looks here whether it may run.
create table schema_compatibility (
  migration text primary key,
  min_compatible text not null
);
grant select on schema_compatibility to weir_app;

insert into schema_compatibility (migration, min_compatible)
values ('0069_schema_compatibility', '0062_proposals');
