set local lock_timeout = '200ms';

-- A batch of a lane sees the rows of all its organizations, and reaches each row by the organization and key of its own that every query
-- names. The condition of the wall was taken as a second index condition beside them, and its array of organizations sorted again for
-- each row: the square of the organizations of a batch. As the truth of a comparison it is a filter, and costs one search per row found.
-- Only for the tables that lanes look rows up in, whose queries all name the organization.
do $$
declare
  hot text;
begin
  foreach hot in array array['org_ledgers', 'allowances', 'holds', 'customer_limits', 'packs', 'idempotency_keys', 'chains'] loop
    execute format('alter policy tenant on %I using ((org_id = any ((select app_orgs())::uuid[])) is true)', hot);
  end loop;
end
$$;

insert into schema_compatibility (migration, min_compatible) values ('0070_tenant_condition', '0062_proposals');
