# What `cmake --install` adds to the programs: scenarios, documents, the emulator's service and its dashboards. Each part belongs to one
# of the components program, emulator, trainer, dashboards, library, development, python; tools/package.sh makes a package of each.
include(GNUInstallDirs)

install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/trainyard COMPONENT program)
install(FILES README.md CHANGELOG.md SECURITY.md STATUS.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

if(TARGET trainyard_emu)
  install(FILES tools/package/trainyard-emulator.service DESTINATION lib/systemd/system COMPONENT emulator)
  install(FILES emu/OPERATIONS.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT emulator)
  install(FILES emu/monitoring/grafana.json emu/monitoring/prometheus.yml emu/monitoring/README.md
    DESTINATION ${CMAKE_INSTALL_DATADIR}/trainyard/monitoring COMPONENT dashboards)
endif()
