set local lock_timeout = '5s';

-- Prices of the operators' own organization are those of the installation: every organization reads them, behind its own.
create function installation_prices() returns setof prices
  language sql stable security definer set search_path = public
  begin atomic
    select * from prices where org_id = '00000000-0000-0000-0000-000000000000';
  end;
revoke execute on function installation_prices() from public;
grant execute on function installation_prices() to weir_app;
create policy installation on prices for select to current_user
  using (org_id = '00000000-0000-0000-0000-000000000000');

create function installation_prices_version() returns timestamptz
  language sql stable security definer set search_path = public
  begin atomic
    select updated_at from price_settings where org_id = '00000000-0000-0000-0000-000000000000';
  end;
revoke execute on function installation_prices_version() from public;
grant execute on function installation_prices_version() to weir_app;
create policy installation on price_settings for select to current_user
  using (org_id = '00000000-0000-0000-0000-000000000000');

-- What changes for every organization at once: in the order in which decisions lock them, and by operators only.
create function change_every_configuration() returns void
  language sql volatile security definer set search_path = public
  begin atomic
    with locked as materialized (
      select org_id from org_ledgers
       where '00000000-0000-0000-0000-000000000000' = any (app_orgs()) order by org_id for no key update)
    update org_ledgers l set config_version = l.config_version + 1 from locked where l.org_id = locked.org_id;
  end;
revoke execute on function change_every_configuration() from public;
grant execute on function change_every_configuration() to weir_app;
