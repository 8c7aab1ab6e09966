// A planar Warren truss of 12 m span and 2 m height: four panels, one element for each member.
// To generate truss.msh:  gmsh -1 -format msh41 truss.geo
panels = 4;
width  = 3;
height = 2;
For i In {0 : panels}
  Point(1 + i) = {i * width, 0, 0};
EndFor
For i In {0 : panels - 1}
  Point(101 + i) = {(i + 0.5) * width, height, 0};
EndFor
For i In {0 : panels - 1}
  Line(1 + i)   = {1 + i, 2 + i};   // bottom chord
  Line(201 + i) = {1 + i, 101 + i}; // diagonals, up and down
  Line(301 + i) = {101 + i, 2 + i};
EndFor
For i In {0 : panels - 2}
  Line(101 + i) = {101 + i, 102 + i}; // top chord
EndFor
Transfinite Curve {:} = 2;
Physical Point("support_left")  = {1};
Physical Point("support_right") = {1 + panels};
Physical Point("loaded")        = {1 + panels / 2};
Physical Curve("chords")        = {1 : panels, 101 : 100 + panels - 1};
Physical Curve("diagonals")     = {201 : 200 + panels, 301 : 300 + panels};
